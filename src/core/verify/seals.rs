//! Checks 13, 15 and 16: sealed rolls and notes, amendments, the close.

use std::collections::BTreeSet;

use super::check::Check;
use super::outcome::{NoticeKind, RecordName};
use super::phase::check_faces;
use super::walk::{Position, Registered, Step, Walk, amend_folder, fail, must, phase_folder};
use crate::core::dice;
use crate::core::hash::{self, Hex64};
use crate::core::record::{
    Amend, AmendKind, Close, Consent, Lock, Opened, Sealed, Seals, Secrecy, Value as _,
};

impl Walk<'_> {
    /// Check 13: what a phase, or a correction of it, seals and opens.
    pub(super) fn seals(
        &mut self,
        at: &mut Position,
        folder: &str,
        number: u32,
        named: Option<&Hex64>,
        lock: &Lock,
    ) -> Step {
        let path = format!("{folder}/seals.txt");
        let sealed = at.offer.secrecy == Secrecy::Sealed;
        let Some(named) = named else {
            return must(!sealed, Check::Seals, &path, || {
                "the record says that a sealed game has no seals".to_owned()
            });
        };
        must(sealed, Check::Seals, &path, || "an open game has seals".to_owned())?;
        self.named(&path, named, Check::Seals, false)?;
        let (list, _) = self.record(&path, Seals::parse)?;
        must(list.game == at.offer.game && list.phase == number, Check::Seals, &path, || {
            "it is of another game or phase".to_owned()
        })?;
        for seal in &list.seals {
            self.register(at, &path, number, seal, lock)?;
        }
        self.opens(at, &path, &list.opens)
    }

    fn register(
        &mut self,
        at: &mut Position,
        path: &str,
        phase: u32,
        seal: &Sealed,
        lock: &Lock,
    ) -> Step {
        let commitment = seal.commitment();
        let (owner, file) = match seal {
            Sealed::Roll(_) => (None, None),
            Sealed::Note { owner, .. } => {
                must(at.offer.players.contains(owner), Check::Seals, path, || {
                    format!("{owner}, who seals a note, is no player")
                })?;
                let file = format!("{}/orders/{owner}.toml", phase_folder(lock.phase));
                let text = self.text(&file)?;
                let unsaid = text.filter(|text| !text.contains(&commitment.to_string()));
                (Some(owner.clone()), unsaid.map(|_| file))
            }
        };
        let entry = Registered { phase, owner, file, key: None, open: false };
        must(at.seals.insert(commitment, entry).is_none(), Check::Seals, path, || {
            format!("{commitment} is sealed twice")
        })?;
        self.counts.sealed += 1;
        Ok(())
    }

    /// Commitments opened: each registered, not open yet, and what was sealed.
    fn opens(&mut self, at: &mut Position, path: &str, opens: &[Opened]) -> Step {
        let game = at.offer.game.clone();
        for opened in opens {
            let commitment = opened.commitment();
            let Some(entry) = at.seals.get_mut(&commitment) else {
                return fail(Check::Seals, path, format!("{commitment} was never sealed"));
            };
            must(!entry.open, Check::Seals, path, || format!("{commitment} is opened twice"))?;
            entry.open = true;
            let file = entry.file.take();
            let right = match (opened, &entry.owner) {
                (Opened::Roll { key, roll, .. }, None) => {
                    must(dice::is_label(&roll.label), Check::Seals, path, || {
                        format!("`{}` is no label", roll.label)
                    })?;
                    entry.key = Some((*key, roll.label.clone()));
                    check_faces(roll, key, Check::Seals, path)?;
                    hash::seal(&game, entry.phase, key, &roll.label, &roll.spec)
                }
                (Opened::Note { salt, text, .. }, Some(owner)) => {
                    hash::hide(&game, entry.phase, owner, salt, text)
                }
                _ => return fail(Check::Seals, path, format!("{commitment} is of the other kind")),
            };
            must(right == commitment, Check::Seals, path, || {
                format!("what is opened as {commitment} hashes to {right}")
            })?;
            if let Opened::Note { salt, text, .. } = opened {
                let note = format!("notes/{commitment}.txt");
                self.named(&note, text, Check::Seals, false)?;
                if let Some(file) = file {
                    let sent = self.text(&file)?.unwrap_or_default();
                    let words = self.text(&note)?.unwrap_or_default();
                    let holds = sent.contains(&salt.to_string()) && sent.contains(words.trim());
                    must(holds, Check::Seals, path, || {
                        format!("`{file}` does not hold the note {commitment}")
                    })?;
                }
            }
            self.counts.opened += 1;
        }
        Ok(())
    }

    /// Check 15: the amendment that follows the present head.
    pub(super) fn amendment(&mut self, at: &mut Position, number: u32) -> Step {
        let folder = amend_folder(number);
        let path = format!("{folder}/amend.txt");
        let (amend, head) = self.record(&path, Amend::parse)?;
        let ledger =
            |holds: bool, message: &str| must(holds, Check::Ledger, &path, || message.to_owned());
        ledger(amend.game == at.offer.game, "it is of another game")?;
        ledger(amend.number == number, "its number is not that of its folder")?;
        ledger(amend.phase == at.phase, "its phase is not the last recorded one")?;
        ledger(
            amend.state_before == at.state,
            "its state_before is not the state after the record before",
        )?;

        let note_path = format!("{folder}/note.txt");
        self.named(&note_path, &amend.note, Check::Amend, false)?;

        let may_rule = matches!(amend.kind, AmendKind::Ruling | AmendKind::Correct);
        if amend.rules != at.rules {
            must(may_rule, Check::Amend, &path, || {
                format!("an amendment of kind {} changes the rules", amend.kind.write())
            })?;
            at.list = self.rules(&format!("{folder}/rules.sha256"), &amend.rules)?;
            at.rules = amend.rules;
        }

        if amend.kind == AmendKind::Correct {
            self.correction(at, &folder, &path, &amend)?;
        } else {
            let empty = amend.rolls.is_none()
                && amend.seals.is_none()
                && amend.events.is_none()
                && amend.report.is_none();
            must(empty, Check::Amend, &path, || {
                "only a correction has rolls, seals, events and a report".to_owned()
            })?;
        }
        if amend.state_after != amend.state_before {
            let file = format!("{folder}/state-after.toml");
            self.named(&file, &amend.state_after, Check::Amend, at.may_withhold())?;
            at.state_path = file;
        }

        let consent = match amend.consent {
            Consent::All => "with the consent of all",
            Consent::Referee => "by the referee alone",
        };
        let text = format!("amendment {number}: {}, {consent}", amend.kind.write());
        self.notice(NoticeKind::Amendment, &note_path, text);
        self.engine(at, &amend.engine, &path);
        self.counts.amendments += 1;
        self.heads.push((RecordName::Amendment(number), head));
        at.amendment = number;
        at.head = head;
        at.state = amend.state_after;
        at.next = amend.next;
        Ok(())
    }

    /// The last phase run again: same lock, seed and labels.
    fn correction(&mut self, at: &mut Position, folder: &str, path: &str, amend: &Amend) -> Step {
        let Some((seed, _)) = at.seeds.get(&at.phase).cloned() else {
            return fail(Check::Amend, path, "it corrects a phase, but there is none before it");
        };
        let (Some(rolls), Some(events), Some(report)) = (amend.rolls, amend.events, amend.report)
        else {
            return fail(Check::Amend, path, "a correction has rolls, events and a report");
        };
        // Faults of its rolls are faults of the amendment: check 15.
        let of_amend = |mut failure: super::Failure| {
            if failure.check == Check::Rolls {
                failure.check = Check::Amend;
            }
            failure
        };
        let labels = self.rolls(at, folder, at.phase, &rolls, &seed).map_err(of_amend)?;
        at.seeds.insert(at.phase, (seed, labels));
        let lock_path = format!("{}/lock.txt", phase_folder(at.phase));
        let (lock, _) = self.record(&lock_path, Lock::parse)?;
        self.seals(at, folder, at.phase, amend.seals.as_ref(), &lock)?;
        if let Some(facts) = self.phases.last_mut() {
            folder.clone_into(&mut facts.outcome);
            facts.rules = at.list.clone();
            facts.next = amend.next.clone();
        }
        let withhold = at.may_withhold();
        self.named(&format!("{folder}/events.jsonl"), &events, Check::Amend, withhold)?;
        self.named(&format!("{folder}/report/public.txt"), &report, Check::Amend, false)?;
        Ok(())
    }

    /// Check 16: every secret shown is the one fixed at the start.
    pub(super) fn close(&mut self, at: &mut Position) -> Step {
        let path = "close.txt";
        let (close, head) = self.record(path, Close::parse)?;
        let that =
            |holds: bool, message: &str| must(holds, Check::Close, path, || message.to_owned());
        that(close.game == at.offer.game, "it is of another game")?;
        that(
            close.phases == at.phase && close.amendments == at.amendment,
            "its counts are not those of the ledger",
        )?;
        that(
            hash::hidden(&at.offer.game, &close.secret) == at.offer.hidden,
            "its secret is not the one that the offer fixed",
        )?;
        if let Some(named) = &close.seals {
            let file = "close-seals.txt";
            self.named(file, named, Check::Seals, false)?;
            let (list, _) = self.record(file, Seals::parse)?;
            must(
                list.game == at.offer.game && list.phase == 0 && list.seals.is_empty(),
                Check::Close,
                file,
                || "it is not of this game, phase 0, without new seals".to_owned(),
            )?;
            self.opens(at, file, &list.opens)?;
        }
        let mut used = BTreeSet::new();
        for (commitment, entry) in &at.seals {
            must(entry.open, Check::Close, path, || {
                format!("{commitment}, sealed in phase {}, was never opened", entry.phase)
            })?;
            let Some((key, label)) = &entry.key else { continue };
            let Some((seed, public)) = at.seeds.get(&entry.phase) else { continue };
            must(
                *key == hash::hidden_roll_key(&close.secret, seed, label),
                Check::Close,
                path,
                || format!("the key of the sealed roll {label} does not follow from the secret"),
            )?;
            must(
                !public.contains(label) && used.insert((entry.phase, label)),
                Check::Close,
                path,
                || format!("the label {label} is rolled twice in phase {}", entry.phase),
            )?;
        }
        self.heads.push((RecordName::Close, head));
        at.head = head;
        Ok(())
    }
}
