//! Checks 2 to 4: the offer, the genesis, the rules.

use std::collections::{BTreeMap, BTreeSet};

use super::check::Check;
use super::outcome::RecordName;
use super::walk::{Position, Step, Walk, fail, must};
use crate::core::beacon::{self, BeaconValue};
use crate::core::hash::{self, Hex64};
use crate::core::id::Id;
use crate::core::record::{
    EntropySource, Genesis, Mode, Next, Offer, RulesEntry, RulesList, Secrecy,
};

impl Walk<'_> {
    /// The position on head 0.
    pub(super) fn start(&mut self) -> Step<Position> {
        let (offer, offer_hash) = self.record("offer.txt", Offer::parse)?;
        self.game = Some(offer.game.clone());
        self.mode = Some(offer.mode);
        let closed = self.files.contains("close.txt");
        check_offer(&offer)?;
        let withhold = offer.secrecy == Secrecy::Sealed && !closed;
        self.named("state-000.toml", &offer.state, Check::Offer, withhold)?;

        let (genesis, head) = self.record("genesis.txt", Genesis::parse)?;
        self.genesis(&offer, &offer_hash, &genesis)?;
        self.heads.push((RecordName::Genesis, head));

        let list = self.rules("rules.sha256", &offer.rules)?;
        self.counts.rules = list.entries.len();
        Ok(Position {
            entropy: genesis.entropy,
            head,
            state: offer.state,
            state_path: "state-000.toml".to_owned(),
            rules: offer.rules,
            list,
            next: Next::Window(offer.first.clone()),
            reference: offer.tip,
            engine: offer.engine.clone(),
            phase: 0,
            amendment: 0,
            seeds: BTreeMap::new(),
            seals: BTreeMap::new(),
            closed,
            offer,
        })
    }

    fn genesis(&mut self, offer: &Offer, offer_hash: &Hex64, genesis: &Genesis) -> Step {
        let path = "genesis.txt";
        let check = Check::Genesis;
        must(genesis.game == offer.game, check, path, || {
            format!("it is of the game `{}`, the offer of `{}`", genesis.game, offer.game)
        })?;
        must(genesis.offer == *offer_hash, check, path, || {
            format!("it names the offer {}; the offer here has {offer_hash}", genesis.offer)
        })?;
        let entropy = match offer.entropy {
            EntropySource::Nonces => {
                let players = genesis.joins.iter().map(|join| &join.player);
                must(players.eq(&offer.players), check, path, || {
                    "the joins are not one of each player of the offer, sorted".to_owned()
                })?;
                must(genesis.beacon.is_none(), check, path, || {
                    "it has a beacon although the offer asks for nonces".to_owned()
                })?;
                for join in &genesis.joins {
                    let right = hash::join(&offer.game, &join.player, &join.nonce);
                    must(join.commitment == right, check, path, || {
                        format!("the nonce of {} is not the one committed to", join.player)
                    })?;
                }
                self.counts.nonces = genesis.joins.len();
                let nonces: Vec<(Id, Hex64)> =
                    genesis.joins.iter().map(|join| (join.player.clone(), join.nonce)).collect();
                hash::entropy_of_nonces(&offer.game, &nonces)
            }
            EntropySource::Round(round) => {
                must(genesis.joins.is_empty(), check, path, || {
                    "it has joins although the offer names a beacon".to_owned()
                })?;
                let Some(value) = genesis.beacon.filter(|value| value.round == round) else {
                    return fail(check, path, format!("the offer names round {round}"));
                };
                let file = "genesis-beacon.json";
                let page = self.beacon_file(file, check)?;
                must(page.string() == value, check, file, || {
                    format!("the page is of {}; the genesis names {value}", page.string())
                })?;
                hash::entropy_of_beacon(&offer.game, &value)
            }
        };
        must(genesis.entropy == entropy, check, path, || {
            format!("the entropy is {}; it should be {entropy}", genesis.entropy)
        })
    }

    /// A beacon page: its form, its randomness, its signature.
    pub(super) fn beacon_file(&mut self, path: &str, check: Check) -> Step<BeaconValue> {
        let page = match BeaconValue::parse(&self.need(path)?) {
            Ok(page) => page,
            Err(fault) => return fail(Check::Format, path, fault.to_string()),
        };
        self.counts.beacons += 1;
        let signed = page.check_randomness().and_then(|()| match &self.options.beacon_key {
            Some(key) => page.check_signature(key),
            None => Ok(()),
        });
        signed.map_or_else(|fault| fail(check, path, fault.to_string()), |()| Ok(page))
    }

    /// A rules list and its files.
    pub(super) fn rules(&mut self, path: &str, hash: &Hex64) -> Step<RulesList> {
        let Some(text) = self.named(path, hash, Check::Rules, false)? else {
            return Ok(RulesList::default());
        };
        let list = match RulesList::parse(&text) {
            Ok(list) => list,
            Err(fault) => return fail(Check::Format, path, fault.to_string()),
        };
        let names: BTreeSet<&str> = list.entries.iter().map(RulesEntry::name).collect();
        must(names.len() == list.entries.len(), Check::Rules, path, || {
            "it lists two files for one name".to_owned()
        })?;
        for entry in &list.entries {
            self.named(&entry.path, &entry.hash, Check::Rules, false)?;
        }
        Ok(list)
    }
}

fn check_offer(offer: &Offer) -> Step {
    let path = "offer.txt";
    let that = |holds: bool, message: &str| must(holds, Check::Offer, path, || message.to_owned());
    for player in &offer.players {
        if let Err(fault) = Id::player(player.as_str()) {
            return fail(Check::Offer, path, fault.to_string());
        }
    }
    that(!offer.players.is_empty(), "it names no player")?;
    that(
        offer.players.windows(2).all(|pair| pair[0] < pair[1]),
        "the players are not sorted, each once",
    )?;
    that(offer.first.as_str() != "end", "`end` names no window")?;
    that(offer.length >= 1, "the chain has no secret")?;
    that(offer.grid >= 1 && 86_400 % offer.grid == 0, "the grid does not divide a day")?;
    if let Some(referee) = &offer.referee {
        that(offer.players.contains(referee), "the referee plays, but as no player")?;
        that(offer.mode == Mode::Beacon, "in mode chain the referee may not play")?;
        that(offer.secrecy == Secrecy::Open, "in a sealed game the referee may not play")?;
    }
    if let EntropySource::Round(round) = offer.entropy {
        let wait = i64::try_from(offer.wait).unwrap_or(i64::MAX);
        that(
            beacon::time_of(round) >= offer.made.plus(wait),
            "the round of the entropy comes before the offer was made and its wait is over",
        )?;
    }
    Ok(())
}
