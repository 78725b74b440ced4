//! The whole loop with a real mail program: messages go out by `msmtp` to a mail server
//! of the test's own on loopback, which delivers into Maildirs; players answer by
//! `msmtp`; `receive` reads the referee's Maildir. Skipped where there is no `msmtp`.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use despatch::core::time::Stamp;
use despatch::mail::letter::Letter;

use crate::post::{maildir, there};
use crate::table::Table;

/// A mail server that takes everything and files it by receiver.
struct Server {
    port: u16,
    now: Arc<Mutex<Stamp>>,
    taken: Arc<Mutex<usize>>,
}

impl Server {
    fn start(root: &Path, now: Stamp) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = Self { port, now: Arc::new(Mutex::new(now)), taken: Arc::new(Mutex::new(0)) };
        let (root, now, taken) = (root.to_owned(), server.now.clone(), server.taken.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let stamp = *now.lock().unwrap();
                // A client that goes away in the middle has sent nothing.
                let _ = serve(&root, &stream, stamp, &taken);
            }
        });
        server
    }

    fn program(&self, sender: &str) -> String {
        format!("msmtp --host=127.0.0.1 --port={} --from={sender} -t", self.port)
    }

    fn send(&self, sender: &str, mail: &str) {
        let line = self.program(sender);
        let words: Vec<&str> = line.split(' ').collect();
        let mut child =
            Command::new(words[0]).args(&words[1..]).stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(mail.as_bytes()).unwrap();
        assert!(child.wait().unwrap().success());
    }
}

fn serve(root: &Path, stream: &TcpStream, now: Stamp, taken: &Mutex<usize>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut out = stream;
    let mut receivers: Vec<String> = Vec::new();
    out.write_all(b"220 mx.club.example ESMTP\r\n")?;
    let mut line = String::new();
    while reader.read_line(&mut line)? > 0 {
        let word = line.split([' ', ':', '\r']).next().unwrap_or_default().to_uppercase();
        match word.as_str() {
            "RCPT" => {
                let address = line.split(['<', '>']).nth(1).unwrap_or_default();
                receivers.push(address.to_lowercase());
                out.write_all(b"250 ok\r\n")?;
            }
            "DATA" => {
                out.write_all(b"354 go on\r\n")?;
                let mut text = Vec::new();
                loop {
                    let mut raw = Vec::new();
                    reader.read_until(b'\n', &mut raw)?;
                    if raw == b".\r\n" || raw.is_empty() {
                        break;
                    }
                    // RFC 5321, 4.5.2: a dot at the start was doubled.
                    text.extend_from_slice(raw.strip_prefix(b".").unwrap_or(&raw));
                }
                let time = chrono::DateTime::from_timestamp(now.unix(), 0).unwrap();
                for receiver in receivers.drain(..) {
                    let mut count = taken.lock().unwrap();
                    *count += 1;
                    let head = format!(
                        "Received: from [127.0.0.1] by mx.club.example with SMTP id {count}; {}\r\n",
                        time.to_rfc2822()
                    );
                    file(root, &receiver, *count, &[head.as_bytes(), &text].concat())?;
                }
                out.write_all(b"250 taken\r\n")?;
            }
            "QUIT" => {
                out.write_all(b"221 bye\r\n")?;
                break;
            }
            _ => out.write_all(b"250 ok\r\n")?,
        }
        line.clear();
    }
    Ok(())
}

fn file(root: &Path, receiver: &str, number: usize, bytes: &[u8]) -> std::io::Result<()> {
    let dir: PathBuf = root.join("mail").join(receiver);
    for part in ["new", "cur", "tmp"] {
        std::fs::create_dir_all(dir.join(part))?;
    }
    std::fs::write(dir.join("new").join(format!("{number:06}.mx")), bytes)
}

/// A reply as a mail program makes it: the mail quoted, orders written below the form.
fn reply(letter: &Letter, from: &str, orders: &str) -> String {
    let id = letter.id.as_deref().unwrap();
    let quoted: String = letter.body.text.lines().fold(String::new(), |all, line| {
        let line = line.replace("final = false", "final = true");
        all + if line.is_empty() { ">" } else { "> " } + &line + "\n"
    });
    format!(
        "From: <{from}>\nTo: Rita <rita@club.example>\nSubject: Re: {}\nIn-Reply-To: <{id}>\n\
         Message-ID: <re.{id}>\n\nOn Monday, Rita wrote:\n{quoted}\n{orders}\n-- \n{from}\n",
        letter.subject
    )
}

#[test]
#[cfg(unix)]
fn several_phases_are_played_by_real_mail() {
    if !there("msmtp") {
        return;
    }
    let mut table = Table::new();
    table.begin_by_mail("plain");
    let server = Server::start(&table.root, table.now);
    let out = server.program("rita@club.example");
    let deliver = |table: &Table| table.run(&["deliver", "--sendmail", &out]).ok();
    let mut seen = [0_usize; 3];
    for phase in 1..=3 {
        table.run(&["call"]).ok();
        deliver(&table);
        table.now = table.now.plus(3_600);
        *server.now.lock().unwrap() = table.now;
        let people = [("anna", "n-1"), ("ben", "s-1"), ("cleo", "s-2")];
        for (at, (name, unit)) in people.iter().enumerate() {
            let address = format!("{name}@players.example");
            let box_ = maildir(&table, &format!("mail/{address}"));
            let call = box_.iter().rev().find(|l| l.subject.contains("orders by"));
            let information =
                box_.iter().rev().find(|l| l.subject.contains("for your information"));
            let call =
                call.filter(|l| l.subject.contains(&format!("phase {phase}:"))).or(information);
            let call = call.unwrap_or_else(|| panic!("{name} has a call of phase {phase}"));
            assert!(box_.len() > seen[at]);
            seen[at] = box_.len();
            let orders = format!("[[walk]]\nunit = \"{unit}\"\nby = 1\n");
            server.send(&address, &reply(call, &address, &orders));
        }
        let received = table.run(&["receive", "mail/rita@club.example"]).ok();
        assert!(received.out.contains("n-1 walks 1"), "{}", received.out);
        table.run(&["lock", "--early"]).ok();
        table.run(&["adjudicate"]).ok();
        deliver(&table);
        let box_ = maildir(&table, "mail/ben@players.example");
        for words in [
            format!("[g] phase {phase}: receipt 1"),
            format!("[g] phase {phase}: north has sent a file"),
            format!("[g] phase {phase}: orders closed"),
            format!("[g] phase {phase}: report"),
        ] {
            assert_eq!(box_.iter().filter(|l| l.subject == words).count(), 1, "{words}");
        }
    }
    assert_eq!(table.read("g/mail/register.txt").lines().count(), 9);
    let found = table.run(&["verify", "g", "--replay"]).ok().out;
    assert!(found.contains("3 phases resolved again"), "{found}");
    assert!(*server.taken.lock().unwrap() > 40);
}
