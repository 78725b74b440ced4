//! Despatch: a play-by-email adjudicator for published wargames.
//!
//! Players send TOML order files; [`game::Game::check`] reads them against the
//! rules, [`game::Game::adjudicate`] resolves a locked set of them with dice from
//! a [`core::dice::Roller`], and everything that happened is in the event log it
//! returns. The folder of a game, its ledger and its bundles live in
//! [`core`] (formats) and [`commands`] (files).

pub mod assets;
pub mod bugles;
pub mod bundle_dir;
pub mod cli;
pub mod commands;
pub mod core;
pub mod game;
pub mod geometry;
pub mod last_outpost;
pub mod mail;
pub mod odds;
pub mod omdurman;
