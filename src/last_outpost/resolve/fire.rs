//! Fire: the garrison's rifles, revolvers and guns (R17, R27 to R35), Mahdist snipers
//! (R41, R42).

use crate::core::cite::cite;
use crate::core::dice::DiceError;

use super::super::data::{FigureId, GunId, Kind, Side, WallId, ZoneId};
use super::super::doctrine::{Doctrine, Support};
use super::super::events::{Event, Modifier, Shot};
use super::super::position::Aim;
use super::super::state::Place;
use super::Turn;

impl Turn<'_> {
    /// The garrison of a zone attacks: guns, then each man, with fire or hand to hand.
    pub(super) fn garrison_attacks(&mut self, zone: ZoneId) -> Result<(), DiceError> {
        for gun in self.data.compound.gun_ids() {
            let wall = self.data.compound.gun(gun).wall;
            if self.data.compound.zone_of(wall) == zone {
                self.gun_fires(gun)?;
            }
        }
        for id in self.ready(Side::Garrison, zone) {
            // He may have fallen to nothing in this step, but his zone may be clear.
            let room = self.state.place(id).room(self.data);
            let owner = room
                .map(|room| self.data.compound.room(room).zone)
                .and_then(|zone| self.state.commander(self.data, zone));
            let doctrine = self.state.doctrine_of(owner);
            let contact = self.position().contact(id);
            if contact.is_empty() {
                self.attack_freely(id, &doctrine)?;
            } else {
                self.attack_in_contact(id, &contact, &doctrine)?;
            }
        }
        Ok(())
    }

    fn attack_in_contact(
        &mut self,
        id: FigureId,
        contact: &[FigureId],
        doctrine: &Doctrine,
    ) -> Result<(), DiceError> {
        let officer = self.data.figure(id).kind == Kind::Officer;
        let fires = officer
            && self.data.rulings.officer_fires_in_contact
            && doctrine.revolver.unwrap_or(true)
            && self.position().can_fire(id);
        if fires {
            for shot in 1..=self.data.tables.fire.shots_a_round {
                let target = contact
                    .iter()
                    .copied()
                    .chain(self.crowd_before(id))
                    .find(|m| self.state.place(*m).present());
                let Some(target) = target.filter(|_| self.position().can_fire(id)) else { break };
                self.shoot(id, target, shot, self.data.tables.fire.garrison, "R27")?;
            }
            self.acted.insert(id);
            return Ok(());
        }
        if let Some(target) = contact.first() {
            self.strike(id, *target)?;
        }
        Ok(())
    }

    /// Those who stand before a holder's wall.
    fn crowd_before(&self, id: FigureId) -> Vec<FigureId> {
        match self.state.place(id) {
            Place::Wall(wall) => self.position().before(wall),
            _ => Vec::new(),
        }
    }

    /// A man out of contact fires at what his orders prefer, or joins the fight.
    fn attack_freely(&mut self, id: FigureId, doctrine: &Doctrine) -> Result<(), DiceError> {
        let bayonet = doctrine.bayonet.unwrap_or(false);
        if !bayonet && self.position().can_fire(id) && self.fires(id, doctrine)? {
            return Ok(());
        }
        let place = self.state.place(id);
        let Some(room) = place.room(self.data) else { return Ok(()) };
        // He leaves his wall only if told to (`bayonet`), a silent gun never.
        let free = matches!(place, Place::Open(_) | Place::Across(_))
            || (bayonet && matches!(place, Place::Wall(_)));
        if !free {
            return Ok(());
        }
        let most = self.data.tables.melee.in_the_open;
        let target = self
            .position()
            .in_room(Side::Mahdist, room)
            .into_iter()
            .find(|m| self.attacked.get(m).is_none_or(|n| *n < most));
        if let Some(target) = target {
            cite("R22");
            if !matches!(place, Place::Open(_) | Place::Across(_)) {
                self.stand(&[id], Place::Open(room));
            }
            self.strike(id, target)?;
        } else if bayonet && self.position().can_fire(id) {
            self.fires(id, doctrine)?;
        }
        Ok(())
    }

    /// Fires at the best aim that the orders allow; true if he did.
    fn fires(&mut self, id: FigureId, doctrine: &Doctrine) -> Result<bool, DiceError> {
        let position = self.position();
        let own = match self.state.place(id) {
            Place::Wall(wall) => Some(wall),
            _ => None,
        };
        let c = &self.data.compound;
        let rank = |aim: &Aim| {
            let word = match aim {
                Aim::Inside(_) => "inside",
                Aim::Section(_) => "wall",
                Aim::Wave(_) => "wave",
                Aim::Next(_) => "next",
                Aim::Snipers => "snipers",
            };
            let usual = ["inside", "wall", "next", "wave", "snipers"];
            let listed = doctrine.targets.iter().position(|w| w == word);
            listed.unwrap_or_else(|| {
                doctrine.targets.len() + usual.iter().position(|w| *w == word).unwrap_or(9)
            })
        };
        let held = |wall: WallId, moves: u32| {
            doctrine.hold.get(&c.wall(wall).id).is_some_and(|hold| moves < *hold)
        };
        let busy = own.is_some_and(|own| {
            !position.before(own).is_empty() || position.coming(own).next().is_some()
        });
        let opens = |wall: WallId| own.is_some_and(|own| own != wall) && !self.upstairs(id);
        let support = doctrine.support.unwrap_or_default();
        let allowed = |aim: &Aim| match aim {
            Aim::Wave(number) => self
                .state
                .wave(*number)
                .is_some_and(|w| self.upstairs(id) || !held(w.target, w.moves)),
            Aim::Section(wall) if opens(*wall) => match support {
                Support::Never => false,
                Support::IfFree => !busy,
                Support::Always => true,
            },
            _ => true,
        };
        let mut aims: Vec<Aim> = position.aims(id).into_iter().filter(allowed).collect();
        // The largest crowd first among equals.
        aims.sort_by_key(|aim| (rank(aim), std::cmp::Reverse(position.men(*aim, id).len()), *aim));
        let Some(aim) = aims.into_iter().find(|aim| !position.men(*aim, id).is_empty()) else {
            return Ok(false);
        };
        let (needed, rule) = match aim {
            Aim::Snipers if self.in_the_rocks(id) => (self.data.tables.fire.at_snipers, "R42"),
            Aim::Snipers => (self.data.tables.fire.at_snipers, "R41"),
            Aim::Wave(_) => (self.data.tables.fire.garrison, "R17"),
            Aim::Next(_) => (self.data.tables.fire.garrison, "R28"),
            _ => (self.data.tables.fire.garrison, "R27"),
        };
        if let (Aim::Section(wall), Some(own)) = (aim, own)
            && opens(wall)
            && self.data.compound.sections().any(|s| s == own)
            && !self.state.opened.contains(&(wall, own))
        {
            let (from, to) =
                (self.data.compound.wall(wall).id.clone(), self.data.compound.wall(own).id.clone());
            self.emit(Event::Opened { from, to, rule: cite("R26").to_string() });
        }
        let shots = match self.data.figure(id).kind {
            Kind::Officer => self.data.tables.fire.shots_a_round,
            _ => 1,
        };
        for shot in 1..=shots {
            let target = self.position().men(aim, id).first().copied();
            let Some(target) = target.filter(|_| shot == 1 || self.position().can_fire(id)) else {
                break;
            };
            self.shoot(id, target, shot, needed, rule)?;
        }
        self.acted.insert(id);
        Ok(true)
    }

    fn upstairs(&self, id: FigureId) -> bool {
        let room = self.state.place(id).room(self.data);
        room.is_some_and(|room| self.data.compound.room(room).height > 0)
    }

    fn in_the_rocks(&self, shooter: FigureId) -> bool {
        let seen = self.position().snipers_seen(shooter);
        seen.first().is_some_and(|s| matches!(self.state.place(*s), Place::Rocks(_)))
    }

    /// One shot, with a wounded shooter's penalty (R35).
    fn shoot(
        &mut self,
        id: FigureId,
        target: FigureId,
        number: u32,
        needed: i32,
        rule: &'static str,
    ) -> Result<(), DiceError> {
        let again = if number > 1 { format!("/{number}") } else { String::new() };
        let label = self.label(&format!("shot/{}{again}", self.name(id)));
        let faces = self.dice.roll(&label, "1d6")?;
        let die = faces.first().copied().unwrap_or(1);
        let mut modifiers = Vec::new();
        let side = self.data.figure(id).side;
        if side == Side::Garrison && self.state.figure(id).wounded {
            modifiers.push(Modifier {
                what: "wounded".to_owned(),
                drm: self.data.tables.melee.wound,
                rule: cite("R35").to_string(),
            });
        }
        let total = i32::try_from(die).unwrap_or(0) + modifiers.iter().map(|m| m.drm).sum::<i32>();
        let hit = total >= needed;
        let words = super::super::state::place_words;
        self.busy |= side == Side::Mahdist;
        self.emit(Event::Shot(Box::new(Shot {
            label,
            side: side.id().to_owned(),
            figure: self.name(id),
            from: words(self.data, self.state.place(id)),
            target: self.name(target),
            at: words(self.data, self.state.place(target)),
            needed,
            die,
            modifiers,
            hit,
            rule: cite(rule).to_string(),
        })));
        if hit {
            let cause = if side == Side::Garrison { "fire" } else { "a sniper" };
            self.hit(target, cause, rule);
        }
        Ok(())
    }

    /// A gun fires at a wave that comes at its side of the compound (R31, R32).
    fn gun_fires(&mut self, gun: GunId) -> Result<(), DiceError> {
        let wall = self.data.compound.gun(gun).wall;
        if self.data.rulings.gun_silent_until_clear
            && self.state.guns[gun.at()].silent
            && !self.position().engaged(wall)
        {
            let rule = cite("R31").to_string();
            let gun = self.data.compound.gun(gun).id.clone();
            self.emit(Event::GunSilent { gun, silent: false, rule });
        }
        // Engaged from within, too: fought at on its section.
        if !self.state.guns[gun.at()].silent && self.position().engaged(wall) {
            self.silence(wall);
        }
        let state = self.state.guns[gun.at()];
        let position = self.position();
        let crew = position.crew(gun);
        let fighting = crew.iter().any(|id| !position.contact(*id).is_empty());
        if state.disabled || state.silent || state.loading.is_some() || crew.is_empty() || fighting
        {
            return Ok(());
        }
        let c = &self.data.compound;
        let zone = c.zone_of(c.gun(gun).wall);
        let owner = self.state.commander(self.data, zone);
        let plan = self.state.doctrine_of(owner).guns.get(&c.gun(gun).id).cloned();
        let (min, hold) = plan.map_or((1, 0), |p| (p.min_wave, p.hold));
        let size = |number: u32| self.advancing(number).len();
        let target = position
            .gun_targets(gun)
            .into_iter()
            .filter(|w| w.moves >= hold && size(w.number) >= min as usize && size(w.number) > 0)
            .max_by_key(|w| (size(w.number), std::cmp::Reverse(w.number)))
            .map(|w| w.number);
        let Some(wave) = target else { return Ok(()) };
        let name = c.gun(gun).id.clone();
        let label = self.label(&name);
        let dice = self.dice.roll(&label, "2d6")?;
        let missing =
            self.data.tables.crew.saturating_sub(u32::try_from(crew.len()).unwrap_or(u32::MAX));
        let kills = dice.iter().sum::<u32>().saturating_sub(missing);
        cite("R31");
        self.emit(Event::GunFired {
            label,
            side: Side::Garrison.id().to_owned(),
            gun: name.clone(),
            wave,
            dice,
            missing,
            kills,
            rule: cite("R32").to_string(),
        });
        self.fired.insert(gun);
        for id in self.advancing(wave).into_iter().take(kills as usize) {
            self.hit(id, &name, "R32");
        }
        for id in crew {
            self.acted.insert(id);
        }
        Ok(())
    }

    /// Riflemen in the rocks, and on upper floors that no defender holds (R41, R42).
    pub(super) fn snipers(&mut self, zone: ZoneId) -> Result<(), DiceError> {
        let c = &self.data.compound;
        let redoubt = c.room_ids().any(|r| c.room(r).zone == zone && c.room(r).height > 0);
        if !redoubt {
            return Ok(());
        }
        let hidden: Vec<FigureId> = self
            .data
            .of(Side::Mahdist)
            .filter(|id| matches!(self.state.place(*id), Place::Rocks(_)))
            .collect();
        for (at, id) in hidden.into_iter().enumerate() {
            let mut men: Vec<FigureId> = self.state.garrison(self.data).collect();
            men.retain(|m| self.upstairs(*m));
            men.sort_by_key(|m| (!self.state.figure(*m).wounded, *m));
            if men.is_empty() || !self.position().can_fire(id) {
                continue;
            }
            let target = men[at % men.len()];
            self.shoot(id, target, 1, self.data.tables.fire.rocks, "R42")?;
        }
        for id in self.ready(Side::Mahdist, zone) {
            let Place::Open(room) = self.state.place(id) else { continue };
            let rifle = self.data.figure(id).kind == Kind::Rifle;
            let position = self.position();
            let clear = position.in_room(Side::Garrison, room).is_empty();
            if !rifle || !clear || !self.upstairs(id) || !position.can_fire(id) {
                continue;
            }
            let sees = &self.data.compound.room(room).sees;
            let mut men: Vec<FigureId> =
                sees.iter().flat_map(|r| position.in_room(Side::Garrison, *r)).collect();
            let open = |m: &FigureId| {
                !matches!(self.state.place(*m), Place::Wall(_) | Place::Gun(_) | Place::Before(_))
            };
            men.sort_by_key(|m| (!open(m), !self.state.figure(*m).wounded, *m));
            let Some(target) = men.first().copied() else { continue };
            let fire = &self.data.tables.fire;
            let needed = if open(&target) { fire.roof_open } else { fire.roof_cover };
            self.shoot(id, target, 1, needed, "R41")?;
            self.acted.insert(id);
        }
        Ok(())
    }
}
