//! `act`: one action on one element, named by an observation, a digest, or a look of the command's own.

use crate::{
    arguments::{ActArguments, ScrollDirection, Verb},
    failure::{Failure, exit_code_of, print_line, print_text},
    looking::observed_as_json,
    remembered::Remembered,
    session::with_session,
};
use serde_json::json;
use std::process::ExitCode;
use surehand_contract::{Code, Digest, UiText};
use surehand_host::{
    ActRequest, Action, Direction, FiniteNumber, ObserveRequest, Observed, Refusal, Session, SetValue, WindowChoice,
};

pub(crate) async fn act(verb: Verb) -> Result<ExitCode, Failure> {
    let (arguments, intent) = Intent::of(verb);
    let as_json = arguments.output.json;
    with_session(async |session| {
        let (observed, element, basis) = find(&session, &arguments).await?;
        let action = intent.action(&observed, element);
        let request = ActRequest { observation: observed.observation, element, action };
        let answer = session.act(request).await;
        let acted = answer.outcome?;
        if let Some(fresh) = &acted.fresh {
            Remembered::keep(fresh)?;
        }
        if as_json {
            print_line(&json!({
                "basis": basis.as_str(),
                "verdict": acted.verdict,
                "route": acted.route,
                "settled": acted.settled,
                "fresh": acted.fresh.as_ref().map(observed_as_json),
            }));
        } else {
            print_text(basis.sentence());
            print_text(answer.model.expose());
        }
        Ok(acted.verdict.code.map_or(ExitCode::SUCCESS, |code| ExitCode::from(exit_code_of(code))))
    })
    .await
}

/// What the action rests on.
#[derive(Debug, Clone, Copy)]
enum Basis {
    Observation,
    Digest,
    OwnLook,
}

impl Basis {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Observation => "observation",
            Self::Digest => "digest",
            Self::OwnLook => "own_look",
        }
    }

    const fn sentence(self) -> &'static str {
        match self {
            Self::Observation => "acted on the element that the observation showed",
            Self::Digest => "acted on the element that still has that digest",
            Self::OwnLook => "acted on a look of this command's own: nobody saw the element before",
        }
    }
}

/// The element, in a look made now: what was observed earlier is found again by its digest, in the same window.
async fn find(session: &Session, arguments: &ActArguments) -> Result<(Observed, u64, Basis), Failure> {
    if let (Some(observation), Some(element)) = (&arguments.observation, arguments.element) {
        let remembered = Remembered::take(observation)?;
        let digest = *remembered.elements.get(&element).ok_or(Refusal::of(Code::StaleObservation))?;
        let observed = look(session, WindowChoice::Window(remembered.window)).await?;
        if observed.snapshot().target != remembered.target {
            return Err(Refusal::of(Code::TargetMissing).into());
        }
        let element = by_digest(&observed, digest)?;
        return Ok((observed, element, Basis::Observation));
    }
    let observed = look(session, arguments.window.choice()?).await?;
    if let Some(expect) = &arguments.expect {
        let digest = Digest::parse(expect).map_err(|error| Failure::Usage { what: error.to_string() })?;
        let element = by_digest(&observed, digest)?;
        return Ok((observed, element, Basis::Digest));
    }
    if arguments.name.is_none() && arguments.role.is_none() {
        let what = "name the element by --observation and --element, by --expect, or by --name and --role".to_owned();
        return Err(Failure::Usage { what });
    }
    let element = by_description(&observed, arguments)?;
    Ok((observed, element, Basis::OwnLook))
}

async fn look(session: &Session, window: WindowChoice) -> Result<Observed, Failure> {
    Ok(session.observe(ObserveRequest { window, query: None, page: None }).await.outcome?)
}

fn by_digest(observed: &Observed, digest: Digest) -> Result<u64, Failure> {
    let with_digest = observed.snapshot().elements.iter().filter(|element| element.digest == digest);
    only(with_digest.map(|element| element.stable_id), Code::TargetChanged)
}

fn by_description(observed: &Observed, arguments: &ActArguments) -> Result<u64, Failure> {
    let fits = |wanted: &Option<String>, is: &str| wanted.as_ref().is_none_or(|wanted| wanted == is);
    let fitting = observed.snapshot().elements.iter().filter(|element| {
        fits(&arguments.name, element.name.expose())
            && fits(&arguments.role, &element.role)
            && !element.verbs.is_empty()
    });
    only(fitting.map(|element| element.stable_id), Code::TargetMissing)
}

fn only(mut found: impl Iterator<Item = u64>, when_none: Code) -> Result<u64, Failure> {
    match (found.next(), found.next()) {
        (Some(element), None) => Ok(element),
        (Some(_), Some(_)) => Err(Refusal::of(Code::AmbiguousTarget).into()),
        (None, _) => Err(Refusal::of(when_none).into()),
    }
}

/// The action as it was typed, before it is known whether the element takes a number or a text.
enum Intent {
    Ready(Action),
    SetValue(String),
}

impl Intent {
    fn of(verb: Verb) -> (ActArguments, Self) {
        match verb {
            Verb::Click(act) => (act, Self::Ready(Action::Click {})),
            Verb::Select(act) => (act, Self::Ready(Action::Select {})),
            Verb::Perform { action, act } => (act, Self::Ready(Action::Perform { name: action })),
            Verb::Scroll { direction, pages, act } => {
                (act, Self::Ready(Action::Scroll { direction: direction.into(), pages }))
            }
            Verb::SetValue { value, act } => (act, Self::SetValue(value)),
        }
    }

    fn action(self, observed: &Observed, element: u64) -> Action {
        match self {
            Self::Ready(action) => action,
            Self::SetValue(value) => {
                let holds_number = observed.snapshot().elements.iter().any(|candidate| {
                    candidate.stable_id == element
                        && matches!(candidate.value, Some(surehand_wire::Value::Number { .. }))
                });
                let number = value.trim().parse().ok().and_then(|number| FiniteNumber::new(number).ok());
                match number.filter(|_| holds_number) {
                    Some(number) => Action::SetValue { value: SetValue::Number { number } },
                    None => Action::SetValue { value: SetValue::Text { text: UiText::new(value) } },
                }
            }
        }
    }
}

impl From<ScrollDirection> for Direction {
    fn from(direction: ScrollDirection) -> Self {
        match direction {
            ScrollDirection::Up => Self::Up,
            ScrollDirection::Down => Self::Down,
            ScrollDirection::Left => Self::Left,
            ScrollDirection::Right => Self::Right,
        }
    }
}
