//! Mail as it is written and read: messages to players as RFC 5322, and order files
//! found in whatever a mail program made of them. No file and no clock in here.

mod above;
mod form;
pub mod html;
pub mod letter;
pub mod message;
pub mod orders;
pub mod tidy;
