//! The real form of Khartoum through mail programs: quoted, broken, as HTML.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use super::start::{NOW, called};

const ORDERS: &str = "[[place]]\nunits = [\"warwickshire\", \"friendlies-1\", \"egy-batt-1\"]\n\
                      hex = \"1112\"\n";

/// Lines quoted, and broken at a width as old programs do.
fn quoted(text: &str, width: usize) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let mut rest = line.to_owned();
        while rest.len() + 2 > width {
            let Some(cut) = rest[..width - 2].rfind(' ').filter(|cut| *cut > 0) else { break };
            let _ = writeln!(out, "> {}", &rest[..cut]);
            rest = rest[cut + 1..].to_owned();
        }
        out += format!("> {rest}").trim_end();
        out.push('\n');
    }
    out
}

fn receive(game: &Path, name: &str, head: &str, body: &str) -> String {
    let mail = format!("From: anna@club.example\nSubject: Re: phase 1\n{head}\n\n{body}");
    std::fs::write(game.join(name), mail).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_despatch"))
        .args(["--now", NOW, "receive", name])
        .current_dir(game)
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_form_comes_back_through_any_program() {
    let folder = tempfile::tempdir().unwrap();
    let game = called(folder.path());
    let call = std::fs::read(game.join("outbox/phase-001-call-british.eml")).unwrap();
    let call = despatch::mail::letter::Letter::read(&call).unwrap().body.text;
    let counts = game.join("phase-001/orders/british.toml");
    for width in [60, 72, 78] {
        let said =
            receive(&game, "talk.eml", "", &format!("Thank you!\n\n{}", quoted(&call, width)));
        assert!(
            said.contains("the form is quoted and nothing is changed in it"),
            "{width}: {said}"
        );
        assert!(!counts.exists());
    }
    let final_ = call.replace("final  = false", "final  = true");
    assert_ne!(final_, call);
    for (at, width) in [60, 72, 78].into_iter().enumerate() {
        let hex = ["1112", "1111", "1011"][at];
        let orders = ORDERS.replace("1112", hex);
        let body =
            format!("On Monday, R wrote:\n{}\n{orders}\n-- \nAnna\n", quoted(&final_, width));
        let said = receive(&game, &format!("inline{width}.eml"), "", &body);
        assert!(said.contains(&format!("RECEIPT {}", at + 1)), "{width}: {said}");
        let text = std::fs::read_to_string(&counts).unwrap();
        assert!(text.contains(&format!("hex = \"{hex}\"")), "{text}");
    }
    let escape = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let lines = |text: &str| {
        text.lines().fold(String::new(), |all, line| all + "<div>" + &escape(line) + "<br></div>")
    };
    let page = format!(
        "<html><body>{}<blockquote>{}</blockquote></body></html>",
        lines(&format!(
            "{}\n{ORDERS}",
            final_.split("\n\n").find(|p| p.contains("ticket")).unwrap()
        )),
        lines(&call)
    );
    let said = receive(&game, "page.eml", "Content-Type: text/html; charset=utf-8", &page);
    assert!(said.contains("RECEIPT 4") && said.contains("taken from the HTML text"), "{said}");
}
