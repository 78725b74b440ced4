//! What a viewer may not know yet is in nothing that he can have: orders of a phase
//! before its report, tickets, the referee's secret.

use std::path::Path;

use super::start::{called, despatch};

/// Every file of a bundle as one text.
fn everything(folder: &Path) -> String {
    let mut out = String::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            out.push_str(&everything(&path));
        } else {
            out.push_str(&std::fs::read_to_string(&path).unwrap());
        }
    }
    out
}

#[test]
fn orders_and_tickets_stay_with_their_player_until_the_report() {
    let root = tempfile::tempdir().unwrap();
    let game = called(root.path());
    let form = std::fs::read_to_string(game.join("phase-001/forms/british.toml")).unwrap();
    let ticket = form.lines().find(|l| l.starts_with("ticket")).unwrap().split('"').nth(1).unwrap();
    let orders = form.replace("final  = false", "final  = true")
        + "[[place]]\nunits = [\"gunboat-1\"]\nhex = \"0116\" # a secret for now\n";
    std::fs::write(root.path().join("british.toml"), &orders).unwrap();
    despatch(&game, &["receive", "../british.toml"]);
    let secret = std::fs::read_to_string(game.join("referee.secret")).unwrap();
    let bundle = |name: &str, viewer: &str| {
        let out = format!("../{name}-{viewer}");
        despatch(&game, &["bundle", "--for", viewer, &out]);
        everything(&root.path().join(format!("{name}-{viewer}")))
    };
    for (time, after) in [("received", false), ("locked", false), ("resolved", true)] {
        match time {
            "locked" => despatch(&game, &["lock", "--early"]),
            "resolved" => despatch(&game, &["adjudicate"]),
            _ => {}
        }
        for viewer in ["dervish", "public"] {
            let all = bundle(time, viewer);
            assert_eq!(all.contains("a secret for now"), after, "{viewer}, {time}");
            assert_eq!(all.contains(ticket), after, "{viewer}, {time}: the ticket");
            for line in
                secret.lines().filter(|l| l.starts_with("root=") || l.starts_with("hidden="))
            {
                let value = line.split('=').nth(1).unwrap();
                assert!(!all.contains(value), "{viewer}, {time}: the referee's secret");
            }
            assert!(!all.contains("club.example"), "{viewer}, {time}: an address");
        }
        let own = bundle(time, "british");
        assert!(own.contains(ticket), "{time}: a player has the own form");
    }
}
