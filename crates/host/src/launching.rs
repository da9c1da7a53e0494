use crate::{
    acting::{fingerprint, tool_call_id},
    bounds::{APPLICATION_CHARACTERS, LAUNCH_WINDOW, NAME_CHARACTERS, REQUEST_MARGIN},
    choosing::window_label,
    executor::{Answered, CallFailure},
    refusal::{ArgumentRule, Refusal},
    request::{Answer, LaunchRequest, Launched},
    task::Task,
    text::{bare_or_quoted, fenced, quoted},
    view::application_id,
};
use std::{fmt::Write, sync::Arc};
use surehand_contract::{Code, Delivery, Effect, Happened, LaunchClaim, LaunchStanding, Method, Verdict};
use surehand_wire::{LaunchApplication, LaunchWaitReason};

impl Task {
    pub(crate) async fn launch(mut self, request: LaunchRequest) -> Answer<Launched> {
        let outcome = self.try_launch(request).await;
        if let Ok(launched) = &outcome {
            self.record.code = launched.verdict.code;
            self.record.delivery = Some(launched.verdict.delivery);
            self.record.effect = Some(launched.verdict.effect);
            self.record.method = Some(launched.verdict.method);
            self.record.pid = launched.launched.as_ref().map(|launched| launched.process.pid);
        }
        self.answer(outcome, |launched, nonce| Ok(launched.text(nonce)))
    }

    async fn try_launch(&mut self, request: LaunchRequest) -> Result<Launched, Refusal> {
        // A launch needs an executor before it can be claimed.
        self.connection().await?;
        let call = request.call.clone();
        let fingerprint = fingerprint(&request.application);
        let session = self.state.id;
        let claiming =
            self.host.keeper.once_placed(|seat, now| seat.claim_launch(now, session, call.clone(), fingerprint));
        let claimed = self.call.cancelled.or(claiming).await.map_err(Refusal::of)?;
        let claimed = claimed.map_err(|refusal| match refusal.code {
            Code::InvalidArgument => Refusal::argument("call_id", ArgumentRule::Reused),
            _ => refusal.into(),
        })?;
        let claim = match claimed {
            LaunchStanding::New(claim) => claim,
            LaunchStanding::UnderWay => return Err(Refusal::of(Code::DuplicateAction)),
            LaunchStanding::Answered(verdict) => {
                return Ok(Launched { verdict, launched: self.state.launched(&request.call), repeated: true });
            }
        };
        let (verdict, answered) = self.start_application(&request, &claim).await;
        self.host.keeper.seat(|seat, now| seat.settle_launch(now, claim, verdict.clone()));
        match answered {
            Ok(launched) => {
                let launched = Arc::new(launched);
                self.state.keep_launch(request.call, Arc::clone(&launched));
                Ok(Launched { verdict, launched: Some(launched), repeated: false })
            }
            Err(refusal) if verdict.delivery == Delivery::NotSent => Err(refusal),
            Err(_) => Ok(Launched { verdict, launched: None, repeated: false }),
        }
    }

    async fn start_application(
        &self,
        request: &LaunchRequest,
        claim: &LaunchClaim,
    ) -> (Verdict, Result<surehand_wire::Launched, Refusal>) {
        let not_sent = |refusal: Refusal| (Verdict::not_sent(refusal.code), Err(refusal));
        let Some(connection) = self.host.supervisor.current() else {
            return not_sent(Refusal::of(Code::ServiceUnavailable));
        };
        let tool_call = tool_call_id(self.host.ids.next());
        let asked = connection.call(LAUNCH_WINDOW + REQUEST_MARGIN, self.call.cancelled.clone(), |_| {
            let epoch = self.host.keeper.seat(|seat, now| seat.check_launch(now, claim))?;
            Ok(LaunchApplication {
                session: self.state.wire_id.clone(),
                tool_call_id: tool_call.clone(),
                fence_epoch: epoch.number(),
                application: request.application.clone(),
                wait_for_window_ms: LAUNCH_WINDOW.as_millis() as u64,
            })
        });
        match asked.await {
            Ok(Answered { answer: Ok(launched), .. }) if launched.tool_call_id == tool_call => {
                (verdict_of(&launched), Ok(launched))
            }
            Ok(Answered { answer: Ok(_), .. }) => {
                (Verdict::unknown(), Err(self.contradicted(&connection, "another_tool_call")))
            }
            Ok(Answered { answer: Err(error), .. }) => {
                let verdict = match error.code.happened() {
                    Happened::Nothing => Verdict::not_sent(error.code),
                    Happened::Sent => Verdict::refused(error.code),
                    Happened::Perhaps => Verdict::unknown(),
                };
                (verdict, Err(error.into()))
            }
            Err(failed) => match failed.failure {
                CallFailure::Lost(Code::OutcomeUnknown) => (Verdict::unknown(), Err(Refusal::of(Code::OutcomeUnknown))),
                failure => not_sent(failure.refusal().into()),
            },
        }
    }
}

fn verdict_of(launched: &surehand_wire::Launched) -> Verdict {
    match launched.waited.reason {
        LaunchWaitReason::WindowAppeared => Verdict::delivered(Effect::Confirmed, Method::WindowAppeared),
        LaunchWaitReason::Timeout | LaunchWaitReason::NotRequested => {
            Verdict::delivered(Effect::Unverifiable, Method::None)
        }
    }
}

impl Launched {
    fn text(&self, nonce: &str) -> String {
        let mut out = String::new();
        if self.repeated {
            out.push_str("This call id was used before; nothing was started again. The first answer was:\n");
        }
        let Some(launched) = &self.launched else {
            let code = self.verdict.code.unwrap_or(Code::OutcomeUnknown);
            let _ = writeln!(out, "launch: {code}. {}", code.advice());
            return out;
        };
        let _ = write!(out, "started pid={} windows={}", launched.process.pid, launched.windows.len());
        if launched.took_foreground {
            out.push_str(" took_foreground=true");
        }
        out.push('\n');
        if launched.windows.is_empty() {
            let _ = writeln!(out, "No window appeared within {} ms. wait_for can wait for one.", launched.waited.ms);
        }
        fenced(&mut out, nonce, |out| {
            out.push_str("app=");
            bare_or_quoted(out, application_id(&launched.application), APPLICATION_CHARACTERS);
            out.push('\n');
            for window in launched.windows.iter().take(crate::bounds::CANDIDATES) {
                let _ = write!(out, " window={} ", window_label(&window.target.window));
                quoted(out, window.title.expose(), NAME_CHARACTERS);
                out.push('\n');
            }
        });
        out
    }
}
