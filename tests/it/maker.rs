//! Makes small bundles of any mode, with a beacon of the tests' own whose rounds
//! they can sign.

use bls12_381::hash_to_curve::{ExpandMsgXmd, HashToCurve};
use bls12_381::{G1Affine, G1Projective, G2Affine, Scalar};
use despatch::core::beacon::{self, BeaconKey, BeaconValue, RoundName};
use despatch::core::chain::Chain;
use despatch::core::dice::{Roller, SealedRoll};
use despatch::core::hash::{self, Hex64};
use despatch::core::id::Id;
use despatch::core::record::{
    Amend, AmendKind, Call, Close, Consent, EntropySource, Fate, Genesis, Join, Lock, Mode, Next,
    Offer, OrderLine, RulesEntry, RulesList, Seals, Secrecy, Turn, YesNo,
};
use despatch::core::time::Stamp;
use despatch::core::verify::{MemoryBundle, Options};
use sha2_09::{Digest, Sha256};

use crate::tamper::{mend, put};

/// A beacon of the scheme of quicknet with a key that everybody knows.
pub(crate) struct TestBeacon(Scalar);

impl TestBeacon {
    pub(crate) fn new() -> Self {
        Self(Scalar::from(0x00de_5ba7_c400))
    }

    pub(crate) fn key(&self) -> BeaconKey {
        BeaconKey(G2Affine::from(G2Affine::generator() * self.0).to_compressed())
    }

    /// Verification with this beacon's key.
    pub(crate) fn options(&self) -> Options {
        Options { beacon_key: Some(self.key()) }
    }

    /// What the round publishes.
    pub(crate) fn value(&self, round: u64) -> BeaconValue {
        let message = Sha256::digest(&round.to_be_bytes());
        let point = <G1Projective as HashToCurve<ExpandMsgXmd<Sha256>>>::hash_to_curve(
            message,
            b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_",
        );
        BeaconValue::signed(round, G1Affine::from(point * self.0).to_compressed())
    }
}

/// What kind of game.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub(crate) mode: Mode,
    pub(crate) secrecy: Secrecy,
    /// The entropy from a round of the beacon instead of nonces.
    pub(crate) entropy_round: bool,
    /// The player whom the referee plays.
    pub(crate) referee: Option<&'static str>,
}

/// An open game in mode beacon, its entropy from the beacon.
pub(crate) const OPEN: Plan =
    Plan { mode: Mode::Beacon, secrecy: Secrecy::Open, entropy_round: true, referee: None };
/// A sealed game in mode chain, its entropy from nonces.
pub(crate) const SEALED_CHAIN: Plan =
    Plan { mode: Mode::Chain, secrecy: Secrecy::Sealed, entropy_round: false, referee: None };

/// How a phase is locked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Locking {
    /// After the deadline, before the beacon.
    Due,
    /// Before the deadline: all are final.
    Early,
    /// When the beacon is public, with a file received after the deadline.
    Late,
}

/// A game in the making; every hash is mended by [`Maker::bundle`].
pub(crate) struct Maker {
    plan: Plan,
    beacon: TestBeacon,
    offer: Offer,
    entropy: Hex64,
    chain: Chain,
    secret: Hex64,
    now: Stamp,
    phase: u32,
    amendments: u32,
    seeds: Vec<Hex64>,
    sealed: Vec<SealedRoll>,
    bundle: MemoryBundle,
}

const ZERO: [u8; 32] = [0; 32];

fn id(text: &str) -> Id {
    Id::new(text).unwrap()
}

impl Maker {
    /// A game of `blue` and `red` up to its genesis.
    pub(crate) fn new(plan: Plan) -> Self {
        let (game, zero) = (id("made"), Hex64::from_bytes(ZERO));
        let secret = Hex64::from_bytes([4; 32]);
        let chain = Chain::derive(&game, 20, Hex64::from_bytes([3; 32]));
        let mut bundle = MemoryBundle::default();
        put(&mut bundle, "rules/settings.toml", "cadence = \"brisk\"\n");
        let entry = RulesEntry {
            hash: hash::text_hash("cadence = \"brisk\"\n"),
            path: "rules/settings.toml".to_owned(),
        };
        put(&mut bundle, "rules.sha256", &RulesList::new(vec![entry]).to_text());
        put(&mut bundle, "state-000.toml", "phase = 0\n");
        let made = Stamp::new("2027-01-01T10:00:00Z").unwrap();
        let beacon = TestBeacon::new();
        let round = u64::try_from(beacon::phase_round(made, 21_600, 43_200)).unwrap();
        let offer = Offer {
            game: game.clone(),
            scenario: id("made"),
            engine: "despatch/0.1.0".to_owned(),
            rules: zero,
            state: zero,
            first: id("move"),
            secrecy: plan.secrecy,
            mode: plan.mode,
            referee: plan.referee.map(id),
            entropy: if plan.entropy_round {
                EntropySource::Round(round)
            } else {
                EntropySource::Nonces
            },
            wait: 21_600,
            grid: 43_200,
            length: 20,
            tip: chain.tip(),
            hidden: hash::hidden(&game, &secret),
            continues: None,
            made,
            players: vec![id("blue"), id("red")],
        };
        put(&mut bundle, "offer.txt", &offer.to_text());
        let mut genesis =
            Genesis { game: game.clone(), offer: zero, joins: vec![], beacon: None, entropy: zero };
        if plan.entropy_round {
            let value = beacon.value(round);
            put(&mut bundle, "genesis-beacon.json", &value.to_text());
            genesis.entropy = hash::entropy_of_beacon(&game, &value.string());
            genesis.beacon = Some(value.string());
        } else {
            let nonces: Vec<(Id, Hex64)> = (1..)
                .zip(&offer.players)
                .map(|(n, p)| (p.clone(), Hex64::from_bytes([n; 32])))
                .collect();
            genesis.entropy = hash::entropy_of_nonces(&game, &nonces);
            genesis.joins = nonces
                .into_iter()
                .map(|(player, nonce)| Join {
                    commitment: hash::join(&game, &player, &nonce),
                    player,
                    nonce,
                })
                .collect();
        }
        put(&mut bundle, "genesis.txt", &genesis.to_text());
        Self {
            plan,
            beacon,
            entropy: genesis.entropy,
            offer,
            chain,
            secret,
            now: made.plus(86_400),
            phase: 0,
            amendments: 0,
            seeds: Vec::new(),
            sealed: Vec::new(),
            bundle,
        }
    }

    /// A phase in which both are asked; both send unless `red` is to miss it.
    pub(crate) fn phase(&mut self, locking: Locking, red_sends: bool) -> &mut Self {
        self.phase += 1;
        let (game, phase, zero) = (self.offer.game.clone(), self.phase, Hex64::from_bytes(ZERO));
        let folder = format!("phase-{phase:03}");
        let made = self.now;
        let deadline = made.plus(5 * 86_400);
        let early = locking == Locking::Early;
        let due = beacon::due(deadline, 21_600, 43_200);
        let locked = match locking {
            Locking::Early => made.plus(86_400),
            Locking::Due => deadline.plus(60),
            Locking::Late => due,
        };
        self.now = locked.plus(86_400);
        let with_beacon = self.plan.mode == Mode::Beacon;
        let round = |closing| RoundName(beacon::phase_round(closing, 21_600, 43_200));
        let call = Call {
            game: game.clone(),
            phase,
            prev: zero,
            follows: None,
            window: id("move"),
            asks: self.offer.players.clone(),
            made,
            deadline,
            beacon: with_beacon.then(|| round(deadline)),
        };
        put(&mut self.bundle, &format!("{folder}/call.txt"), &call.to_text());
        let mut orders = Vec::new();
        for player in &self.offer.players {
            let sends = red_sends || player.as_str() != "red";
            let received =
                if locking == Locking::Late { deadline.plus(60) } else { made.plus(3600) };
            if sends {
                let ticket = hash::ticket(&game, phase, player, 1, &self.secret);
                let text = format!(
                    "game = \"{game}\"\nphase = {phase}\nplayer = \"{player}\"\nhead = \"{zero}\"\n\
                     ticket = \"{ticket}\"\nfinal = {early}\n"
                );
                put(&mut self.bundle, &format!("{folder}/orders/{player}.toml"), &text);
            }
            let fate = if sends { Fate::File { hash: zero, received } } else { Fate::Nmr };
            orders.push(OrderLine { player: player.clone(), fate });
        }
        let lock_round = round(if early { locked } else { deadline });
        let lock = Lock {
            game: game.clone(),
            phase,
            call: zero,
            locked,
            early: if early { YesNo::Yes } else { YesNo::No },
            beacon: with_beacon.then_some(lock_round),
            orders,
        };
        put(&mut self.bundle, &format!("{folder}/lock.txt"), &lock.to_text());

        let value = with_beacon.then(|| self.beacon.value(lock_round.0.try_into().unwrap()));
        let reference = self.chain.at(phase).unwrap();
        let seed = match &value {
            Some(value) => {
                put(&mut self.bundle, &format!("{folder}/beacon.json"), &value.to_text());
                hash::seed(&game, phase, &reference, &self.entropy, &value.string())
            }
            None => hash::seed(&game, phase, &reference, &self.entropy, &"none"),
        };
        self.seeds.push(seed);
        let sealed = self.outcome(&folder, &format!("p{phase}"));
        put(&mut self.bundle, &format!("{folder}/state-after.toml"), &format!("phase = {phase}\n"));
        let turn = Turn {
            game,
            phase,
            prev: zero,
            engine: "despatch/0.1.0".to_owned(),
            rules: zero,
            state_before: zero,
            lock: zero,
            reference,
            beacon: value.map(|value| value.string()),
            seed,
            rolls: zero,
            seals: sealed.then_some(zero),
            events: zero,
            report: zero,
            state_after: zero,
            next: Next::Window(id("move")),
        };
        put(&mut self.bundle, &format!("{folder}/turn.txt"), &turn.to_text());
        self
    }

    /// Rolls of the present phase with their report and events; a sealed game seals
    /// one roll. Returns whether there is a file of seals.
    fn outcome(&mut self, folder: &str, label: &str) -> bool {
        let seed = self.seeds.last().unwrap();
        let (game, phase) = (&self.offer.game, self.phase);
        let mut dice = Roller::sealing(game, phase, seed, &self.secret);
        dice.d10(&format!("fire/{label}")).unwrap();
        dice.roll("weather", "2d6").unwrap();
        put(&mut self.bundle, &format!("{folder}/events.jsonl"), "{}\n");
        put(&mut self.bundle, &format!("{folder}/report/public.txt"), "A report.\n");
        put(
            &mut self.bundle,
            &format!("{folder}/rolls.txt"),
            &dice.rolls_file(game, phase).to_text(),
        );
        let sealed = self.plan.secrecy == Secrecy::Sealed;
        if sealed {
            self.sealed.push(dice.roll_sealed(&format!("mine/{label}"), "1d6").unwrap());
            let seals = dice.seals_file(game, phase);
            put(&mut self.bundle, &format!("{folder}/seals.txt"), &seals.to_text());
        }
        sealed
    }

    /// An amendment after the last phase.
    pub(crate) fn amend(&mut self, kind: AmendKind, consent: Consent) -> &mut Self {
        self.amendments += 1;
        let folder = format!("amend-{:03}", self.amendments);
        let zero = Hex64::from_bytes(ZERO);
        put(&mut self.bundle, &format!("{folder}/note.txt"), "Why.\n");
        let mut sealed = false;
        let correct = kind == AmendKind::Correct;
        if correct {
            let label = format!("p{}-again", self.phase);
            sealed = self.outcome(&folder, &label);
        }
        if kind == AmendKind::Ruling {
            put(
                &mut self.bundle,
                &format!("{folder}/rules/settings.toml"),
                "cadence = \"strict\"\n",
            );
            let entry = RulesEntry {
                hash: hash::text_hash("cadence = \"strict\"\n"),
                path: format!("{folder}/rules/settings.toml"),
            };
            let list = RulesList::new(vec![entry]);
            put(&mut self.bundle, &format!("{folder}/rules.sha256"), &list.to_text());
        }
        let changed = correct || kind == AmendKind::State;
        if changed {
            put(&mut self.bundle, &format!("{folder}/state-after.toml"), "phase = 99\n");
        }
        let amend = Amend {
            game: self.offer.game.clone(),
            number: self.amendments,
            prev: zero,
            made: self.now,
            kind,
            phase: self.phase,
            consent,
            engine: if correct { "despatch/0.1.1" } else { "despatch/0.1.0" }.to_owned(),
            rules: zero,
            state_before: zero,
            rolls: correct.then_some(zero),
            seals: sealed.then_some(zero),
            events: correct.then_some(zero),
            report: correct.then_some(zero),
            state_after: if changed { Hex64::digest(b"changed") } else { zero },
            next: Next::Window(id("move")),
            note: zero,
        };
        put(&mut self.bundle, &format!("{folder}/amend.txt"), &amend.to_text());
        self
    }

    /// The end of the game; everything sealed is opened.
    pub(crate) fn close(&mut self) -> &mut Self {
        let zero = Hex64::from_bytes(ZERO);
        let game = self.offer.game.clone();
        let sealed = self.plan.secrecy == Secrecy::Sealed;
        if sealed {
            let opens = self.sealed.iter().map(SealedRoll::opened).collect();
            let seals = Seals { game: game.clone(), phase: 0, seals: vec![], opens };
            put(&mut self.bundle, "close-seals.txt", &seals.to_text());
        }
        let close = Close {
            game,
            prev: zero,
            made: self.now,
            phases: self.phase,
            amendments: self.amendments,
            seals: sealed.then_some(zero),
            secret: self.secret,
            result: "a draw".to_owned(),
        };
        put(&mut self.bundle, "close.txt", &close.to_text());
        self
    }

    /// The bundle, with every hash in place.
    pub(crate) fn bundle(&self) -> MemoryBundle {
        let mut bundle = self.bundle.clone();
        mend(&mut bundle);
        bundle
    }

    /// How to verify it.
    pub(crate) fn options(&self) -> Options {
        self.beacon.options()
    }
}
