//! Checks 5 to 14: one phase.

use std::collections::BTreeSet;

use super::check::Check;
use super::outcome::{NoticeKind, PhaseFacts, RecordName};
use super::walk::{Position, Step, Walk, fail, must, phase_folder};
use crate::core::beacon::{self, RoundName};
use crate::core::dice::{self, Roll, Spec};
use crate::core::hash::{self, Hex64};
use crate::core::orderfile::{Expected, Form, check_header, read_header};
use crate::core::record::{Call, Fate, Lock, Mode, OrderLine, Rolls, Turn, YesNo};
use crate::core::source::Source;
use crate::core::time::Stamp;

/// The calls of a phase with their paths and hashes.
type Calls = [(String, Call, Hex64)];

impl Walk<'_> {
    /// The next phase, whose record follows the present head.
    pub(super) fn phase(&mut self, at: &mut Position) -> Step {
        let number = at.phase + 1;
        let folder = phase_folder(number);
        let path = format!("{folder}/turn.txt");
        let (turn, head) = self.record(&path, Turn::parse)?;

        let ledger =
            |holds: bool, message: &str| must(holds, Check::Ledger, &path, || message.to_owned());
        ledger(turn.game == at.offer.game, "it is of another game")?;
        ledger(turn.phase == number, "its phase is not that of its folder")?;
        ledger(
            turn.state_before == at.state,
            "its state_before is not the state after the record before",
        )?;
        ledger(turn.rules == at.rules, "its rules are not those in force")?;

        let index = number - 1;
        let link = hash::chain_link(&at.offer.game, index, &turn.reference);
        must(link == at.reference, Check::Chain, &path, || {
            let before = if index == 0 {
                "the tip".to_owned()
            } else {
                format!("the secret of phase {index}")
            };
            format!("its secret hashes to {link}, not to {before}, {}", at.reference)
        })?;
        self.counts.secrets += 1;

        let lock = self.called(at, number, Some(&turn))?;
        self.beacon_value(at, &folder, &turn, &lock)?;
        self.order_files(at, &folder, &lock, &turn.prev, false)?;

        let seed = match &turn.beacon {
            Some(value) => hash::seed(&at.offer.game, number, &turn.reference, &at.entropy, value),
            None => hash::seed(&at.offer.game, number, &turn.reference, &at.entropy, &"none"),
        };
        must(turn.seed == seed, Check::Seed, &path, || {
            format!("the seed is {}; it should be {seed}", turn.seed)
        })?;

        let labels = self.rolls(at, &folder, number, &turn.rolls, &seed)?;
        at.seeds.insert(number, (seed, labels));
        self.seals(at, &folder, number, turn.seals.as_ref(), &lock)?;

        let withhold = at.may_withhold();
        self.named(&format!("{folder}/events.jsonl"), &turn.events, Check::Files, withhold)?;
        self.named(&format!("{folder}/report/public.txt"), &turn.report, Check::Files, false)?;
        self.named(
            &format!("{folder}/state-after.toml"),
            &turn.state_after,
            Check::Files,
            withhold,
        )?;

        self.engine(at, &turn.engine, &path);
        self.phases.push(PhaseFacts {
            phase: number,
            prev: turn.prev,
            seed,
            rules: at.list.clone(),
            state_before: at.state_path.clone(),
            outcome: folder.clone(),
            next: turn.next.clone(),
        });
        at.state_path = format!("{folder}/state-after.toml");
        self.counts.phases += 1;
        self.heads.push((RecordName::Phase(number), head));
        at.head = head;
        at.state = turn.state_after;
        at.next = turn.next;
        at.reference = turn.reference;
        at.phase = number;
        Ok(())
    }

    /// Checks 7, 8 and the rounds of 9 (and, without a record, 10): the lock and
    /// the calls of a phase.
    pub(super) fn called(&mut self, at: &Position, number: u32, turn: Option<&Turn>) -> Step<Lock> {
        let folder = phase_folder(number);
        let path = format!("{folder}/lock.txt");
        let (lock, lock_hash) = self.record(&path, Lock::parse)?;
        let calls = self.calls(&folder)?;
        if let Some(turn) = turn {
            must(lock_hash == turn.lock, Check::Lock, &path, || {
                format!("the lock has the hash {lock_hash}; the record names {}", turn.lock)
            })?;
        }
        let Some((_, last, last_hash)) = calls.last() else {
            return fail(Check::Missing, &folder, "the phase has no call");
        };
        check_lock(at, number, &path, &lock, last, last_hash)?;
        self.check_calls(at, number, &calls)?;
        self.rounds(at, &path, &lock, &calls)?;
        if turn.is_none() {
            // Orders are published with the report; what is here must agree.
            self.order_files(at, &folder, &lock, &at.head, true)?;
        }
        Ok(lock)
    }

    /// Check 8: each call file.
    pub(super) fn check_calls(&mut self, at: &Position, number: u32, calls: &Calls) -> Step {
        let mut before: Option<&(String, Call, Hex64)> = None;
        for entry in calls {
            let (path, call, _) = entry;
            let that =
                |holds: bool, message: &str| must(holds, Check::Call, path, || message.to_owned());
            that(call.game == at.offer.game, "it is of another game")?;
            that(call.phase == number, "its phase is not that of its folder")?;
            that(call.prev == at.head, "its prev is not the head at the time of the call")?;
            match at.next.window() {
                Some(window) => must(call.window == *window, Check::Call, path, || {
                    format!("its window is {}; the record before says {window}", call.window)
                })?,
                None => that(false, "the record before says that the game is over")?,
            }
            that(
                call.asks.windows(2).all(|pair| pair[0] < pair[1]),
                "the players asked are not sorted, each once",
            )?;
            that(
                call.asks.iter().all(|player| at.offer.players.contains(player)),
                "it asks somebody who is no player",
            )?;
            that(
                call.follows.as_ref() == before.map(|(_, _, hash)| hash),
                "it does not follow the call before it",
            )?;
            if let Some((_, old, _)) = before {
                that(call.asks == old.asks, "an extension asks other players")?;
                that(call.made < old.deadline, "the extension was made after the deadline")?;
                that(old.deadline < call.deadline, "the extension does not extend the deadline")?;
            }
            before = Some(entry);
            self.counts.calls += 1;
        }
        let stray = self.files.iter().find(|path| {
            let name = path
                .strip_prefix(&format!("{}/call-", phase_folder(number)))
                .and_then(|rest| rest.strip_suffix(".txt"));
            name.is_some_and(|name| name.bytes().all(|b| b.is_ascii_digit()))
                && !calls.iter().any(|(known, _, _)| known == *path)
        });
        stray.map_or(Ok(()), |path| fail(Check::Call, path, "a call before it is missing"))
    }

    /// The rounds of check 9: of each call by its deadline, of the lock by the last.
    fn rounds(&mut self, at: &Position, path: &str, lock: &Lock, calls: &Calls) -> Step {
        let offer = &at.offer;
        let round = |closing| match offer.mode {
            Mode::Chain => None,
            Mode::Beacon => Some(RoundName(beacon::phase_round(closing, offer.wait, offer.grid))),
        };
        let same = |found: Option<RoundName>, right: Option<RoundName>, path: &str| {
            must(found == right, Check::Beacon, path, || {
                let show = |name: Option<RoundName>| {
                    name.map_or_else(|| "none".to_owned(), |name| name.to_string())
                };
                format!("its beacon is {}; by its times it is {}", show(found), show(right))
            })
        };
        for (path, call, _) in calls {
            same(call.beacon, round(call.deadline), path)?;
        }
        let deadline = calls.last().map_or(lock.locked, |(_, call, _)| call.deadline);
        let closing = if lock.early == YesNo::Yes { lock.locked } else { deadline };
        same(lock.beacon, round(closing), path)?;
        if offer.mode == Mode::Beacon {
            must(lock.beacon.is_some_and(|name| name.0 >= 1), Check::Beacon, path, || {
                "its round is older than the beacon".to_owned()
            })?;
            let due = beacon::due(closing, offer.wait, offer.grid);
            if lock.locked >= due {
                let text = format!(
                    "phase {} was locked at {}, when its beacon was public (from {due})",
                    lock.phase, lock.locked
                );
                self.notice(NoticeKind::LateLock, path, text);
            }
        }
        self.late_files(lock, deadline, path);
        let made = calls.first().map_or(lock.locked, |(_, call, _)| call.made);
        self.impossible_times(lock, made, path);
        Ok(())
    }

    /// Times that contradict each other: a lock dated back could choose its beacon.
    fn impossible_times(&mut self, lock: &Lock, made: Stamp, path: &str) {
        let newest = lock.orders.iter().filter_map(|line| match &line.fate {
            Fate::File { received, .. } => Some(*received),
            _ => None,
        });
        for (time, what) in
            newest.map(|t| (t, "after a file that it lists")).chain([(made, "after its call")])
        {
            if lock.locked < time {
                let text = format!(
                    "phase {} says it was locked at {}, and it must have been {what} ({time}): \
                     one of these times is false",
                    lock.phase, lock.locked
                );
                self.notice(NoticeKind::FalseTime, path, text);
                return;
            }
        }
    }

    fn late_files(&mut self, lock: &Lock, deadline: Stamp, path: &str) {
        for line in &lock.orders {
            if let Fate::File { received, .. } = &line.fate
                && *received > deadline
            {
                let text = format!(
                    "the file of {} in phase {} came at {received}, after the deadline {deadline}",
                    line.player, lock.phase
                );
                self.notice(NoticeKind::LateFile, path, text);
            }
        }
    }

    /// The value of check 9.
    fn beacon_value(&mut self, at: &Position, folder: &str, turn: &Turn, lock: &Lock) -> Step {
        let path = format!("{folder}/turn.txt");
        if at.offer.mode == Mode::Chain {
            return must(turn.beacon.is_none(), Check::Beacon, &path, || {
                "it has a beacon although the offer says mode chain".to_owned()
            });
        }
        let Some(value) = turn.beacon else {
            return fail(
                Check::Beacon,
                &path,
                "it has no beacon although the offer says mode beacon",
            );
        };
        let named = i64::try_from(value.round).ok().map(RoundName);
        must(named == lock.beacon, Check::Beacon, &path, || {
            format!("its beacon is of round {}, not of the round of the lock", value.round)
        })?;
        let file = format!("{folder}/beacon.json");
        let page = self.beacon_file(&file, Check::Beacon)?;
        must(page.string() == value, Check::Beacon, &file, || {
            format!("the page is {}; the record has {value}", page.string())
        })
    }

    /// Check 10. `early` files may be kept back until the report.
    fn order_files(
        &mut self,
        at: &Position,
        folder: &str,
        lock: &Lock,
        head: &Hex64,
        before_report: bool,
    ) -> Step {
        let Some((_, call, _)) = self.calls(folder)?.pop() else { return Ok(()) };
        let withhold = before_report || at.may_withhold();
        let mut known = BTreeSet::new();
        for line in &lock.orders {
            let path = format!("{folder}/orders/{}.toml", line.player);
            let asked = call.asks.contains(&line.player);
            match &line.fate {
                Fate::File { hash, .. } => {
                    if let Some(text) = self.named(&path, hash, Check::Orders, withhold)? {
                        self.counts.orders += 1;
                        let must_be_final = asked && lock.early == YesNo::Yes;
                        header(at, &path, &text, lock.phase, line, head, must_be_final)?;
                    }
                    known.insert(path);
                }
                Fate::Nmr => must(asked, Check::Orders, &path, || {
                    format!("{} was not asked for orders, but the lock says nmr", line.player)
                })?,
                Fate::Idle => must(!asked, Check::Orders, &path, || {
                    format!("{} was asked for orders, but the lock says idle", line.player)
                })?,
            }
        }
        // Deeper folders hold a referee's own papers, such as superseded files.
        let prefix = format!("{folder}/orders/");
        let stray = self.files.iter().find(|path| {
            let name = path.strip_prefix(&prefix).and_then(|name| name.strip_suffix(".toml"));
            name.is_some_and(|name| !name.contains('/')) && !known.contains(*path)
        });
        stray.map_or(Ok(()), |path| {
            fail(Check::Orders, path, "the lock has no order file of this player")
        })
    }

    /// Check 12: the public rolls; returns their labels.
    pub(super) fn rolls(
        &mut self,
        at: &Position,
        folder: &str,
        number: u32,
        hash: &Hex64,
        seed: &Hex64,
    ) -> Step<BTreeSet<String>> {
        let path = format!("{folder}/rolls.txt");
        self.named(&path, hash, Check::Rolls, false)?;
        let (list, _) = self.record(&path, Rolls::parse)?;
        must(list.game == at.offer.game && list.phase == number, Check::Rolls, &path, || {
            "it is of another game or phase".to_owned()
        })?;
        let mut labels = BTreeSet::new();
        for roll in &list.rolls {
            must(dice::is_label(&roll.label), Check::Rolls, &path, || {
                format!("`{}` is no label", roll.label)
            })?;
            must(labels.insert(roll.label.clone()), Check::Rolls, &path, || {
                format!("the label {} is rolled twice", roll.label)
            })?;
            check_faces(roll, &hash::roll_key(seed, &roll.label), Check::Rolls, &path)?;
            self.counts.rolls += 1;
        }
        Ok(labels)
    }
}

/// The faces of a roll are those of its key.
pub(super) fn check_faces(roll: &Roll, key: &Hex64, check: Check, path: &str) -> Step {
    let spec = match Spec::parse(&roll.spec) {
        Ok(spec) => spec,
        Err(fault) => return fail(check, path, fault.to_string()),
    };
    let right = dice::faces(key, spec);
    must(roll.faces == right, check, path, || {
        let show = |faces: &[u32]| {
            let shown: Vec<String> = faces.iter().take(20).map(ToString::to_string).collect();
            let more = if faces.len() > 20 { ",..." } else { "" };
            format!("{}{more}", shown.join(","))
        };
        format!(
            "{} {} shows {}; its key gives {}",
            roll.label,
            roll.spec,
            show(&roll.faces),
            show(&right)
        )
    })
}

/// Check 7.
fn check_lock(
    at: &Position,
    number: u32,
    path: &str,
    lock: &Lock,
    last: &Call,
    last_hash: &Hex64,
) -> Step {
    let that = |holds: bool, message: &str| must(holds, Check::Lock, path, || message.to_owned());
    that(lock.game == at.offer.game, "it is of another game")?;
    that(lock.phase == number, "its phase is not that of its folder")?;
    that(
        lock.orders.iter().map(|line| &line.player).eq(&at.offer.players),
        "it does not have one line of each player, sorted",
    )?;
    that(lock.call == *last_hash, "it does not name the last call that is here")?;
    if lock.early == YesNo::Yes {
        that(lock.locked < last.deadline, "it says early, but was made after the deadline")?;
        let sent = |line: &OrderLine| {
            matches!(line.fate, Fate::File { .. }) || !last.asks.contains(&line.player)
        };
        that(lock.orders.iter().all(sent), "it says early, but somebody asked sent nothing")
    } else {
        that(
            lock.locked >= last.deadline,
            "it was made before the deadline, but does not say early",
        )
    }
}

/// The header of check 10.
fn header(
    at: &Position,
    path: &str,
    text: &str,
    phase: u32,
    line: &OrderLine,
    head: &Hex64,
    must_be_final: bool,
) -> Step {
    let source = Source::new(path, text);
    let worst = |faults: Vec<crate::core::diag::Diagnostic>| {
        faults.into_iter().find(|fault| fault.severity == crate::core::diag::Severity::Error)
    };
    let header = match read_header(&source, Form::Game) {
        Ok(header) => header,
        Err(faults) => {
            let message = worst(faults).map_or_else(String::new, |fault| fault.message);
            return fail(Check::Orders, path, message);
        }
    };
    let expected = Expected {
        game: &at.offer.game,
        phase,
        player: &line.player,
        head,
        ticket: None,
        replaced: &[],
    };
    if let Some(fault) = worst(check_header(&header, &expected)) {
        return fail(Check::Orders, path, fault.message);
    }
    must(header.final_ || !must_be_final, Check::Orders, path, || {
        "the lock says early, but this file is not marked final".to_owned()
    })
}
