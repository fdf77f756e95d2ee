"""Types and methods of PRPF's server. PythonClientTest renders this file from openapi.json, with -Dprpf.write=true."""
from collections.abc import Iterator
from typing import Any, Literal, NotRequired, TypedDict

from prpf_client.http import Event, Http, part


class Status(TypedDict):
    status: str


class VersionResult(TypedDict):
    version: str


class MomentTrace(TypedDict):
    """a step in the format of a record"""

    picture: NotRequired[str]  # an image as data URL; paths and other URLs are not opened
    source: NotRequired[str]
    text: NotRequired[str]


class Perceived(TypedDict):
    p_trigger: float  # probability that help is wanted
    trigger: bool  # the gate opens, and the policy allows an intervention
    threshold: float
    scenarios: dict[str, float]
    withheld: list[str]  # signals that the user's policy excludes
    silence: str | None  # reason if `trigger` is false
    steps: NotRequired[int]  # number of steps in the session


class Call(TypedDict):
    name: str
    parameters: dict[str, Any]


class Recommendation(TypedDict):
    instruction: str
    functions: list[Call]


class Recommended(TypedDict):
    route: Literal["silent", "reasoned"]  # whether the request passed the gate
    p_trigger: float | None
    threshold: float
    scenarios: dict[str, float]
    candidate_functions: list[str]
    response: str | None  # the reasoner's response as text
    recommendations: list[Recommendation] | None  # an empty list is silence; null is a malformed response
    finish: Literal["stop", "length"] | None
    cost: dict[str, Any]  # tokens, forward passes, operations and seconds of each component
    withheld: list[str]
    silence: str | None  # reason if nothing is recommended


class OpenSessionResult(TypedDict):
    id: str
    expires_in: int  # seconds without a request after which the session is deleted


class CloseSessionResult(TypedDict):
    id: str
    deleted: bool


class RewardItem(TypedDict):
    id: str  # id of a sample in the file of gold answers
    response: str  # the response text of the policy


class RewardItem2(TypedDict):
    id: str
    calls: list[list[Call]]  # one list for each recommendation; an empty list is silence


class RewardTerms(TypedDict):
    """weighted terms; their sum is `total`"""

    trig: NotRequired[float]
    func: NotRequired[float]
    args: NotRequired[float]
    schema: NotRequired[float]
    tn: NotRequired[float]
    fp: NotRequired[float]
    cov: NotRequired[float]
    over: NotRequired[float]


class Reward(TypedDict):
    id: str
    total: float
    terms: RewardTerms  # weighted terms; their sum is `total`
    quadrant: Literal["TP", "TN", "FP", "FN"] | None  # null for a malformed response


class RewardResult(TypedDict):
    items: list[Reward]


class AuditLineDecision(TypedDict):
    passive: NotRequired[bool]
    used: NotRequired[dict[str, str]]  # keyed hash of each signal that was read
    withheld: NotRequired[list[str]]
    p_trigger: NotRequired[float | None]
    threshold: NotRequired[float]
    silence: NotRequired[str | None]
    recommendations: NotRequired[list[str]]
    content: NotRequired[Any]  # the signals that were read, if the user agreed to store them; otherwise null


class AuditLine(TypedDict):
    id: int
    time: str
    decision: AuditLineDecision


class AuditResult(TypedDict):
    user: str
    entries: list[AuditLine]
    before: int | None  # value of `before` for the next page; null after the last


class ExportDataResultIntervention(TypedDict):
    time: NotRequired[str]


class ExportDataResultFeedback(TypedDict):
    time: NotRequired[str]
    accepted: NotRequired[bool]
    record: NotRequired[Any]  # a record for training, or null


class ExportDataResultImage(TypedDict):
    name: NotRequired[str]
    content: NotRequired[str]  # Base64


class ExportDataResult(TypedDict):
    user: NotRequired[str]
    time: NotRequired[str]
    policy: NotRequired[dict[str, Any]]
    interventions: NotRequired[list[ExportDataResultIntervention]]
    feedback: NotRequired[list[ExportDataResultFeedback]]
    images: NotRequired[list[ExportDataResultImage]]
    audit: NotRequired[list[AuditLine]]


class EraseDataResult(TypedDict):
    interventions: NotRequired[int]
    feedback: NotRequired[int]
    images: NotRequired[int]
    audit: NotRequired[int]


class Moment(TypedDict):
    """State of a phone, in the format of a record's reference_information."""

    profile: str
    phone: str
    world: str
    trace: list[str | MomentTrace]  # recent steps of the user, oldest first


class FeedbackResult(TypedDict):
    kept: bool  # whether a training record was stored
    id: str | None
    why: str | None  # reason if no record was stored
    withheld: list[str]


class Client(Http):
    """One method an operation; None leaves a field out. See prpf_client.http for address, key, timeout and errors."""

    def health(self) -> Status:
        """Check that the process runs (GET /health)."""
        return self._json(Status, "GET", "/health")

    def ready(self) -> Status:
        """Check that the server accepts requests (GET /ready)."""
        return self._json(Status, "GET", "/ready")

    def version(self) -> VersionResult:
        """Return the version of the server (GET /version)."""
        return self._json(VersionResult, "GET", "/version")

    def metrics(self) -> str:
        """Return metrics for Prometheus (GET /metrics)."""
        return self._text("GET", "/metrics")

    def perceive(
        self,
        *,
        profile: str,
        phone: str,
        world: str,
        trace: list[str | MomentTrace],  # recent steps of the user, oldest first
        user: str | None = None,  # the user of the policy; by default the name of the API key
        threshold: float | None = None,  # threshold of this request; by default the server's
    ) -> Perceived:
        """Score a request with the gate (POST /v1/perceive)."""
        return self._json(Perceived, "POST", "/v1/perceive", body={"profile": profile, "phone": phone, "world": world, "trace": trace, "user": user, "threshold": threshold})

    def recommend(
        self,
        *,
        profile: str,
        phone: str,
        world: str,
        trace: list[str | MomentTrace],  # recent steps of the user, oldest first
        user: str | None = None,  # the user of the policy; by default the name of the API key
        threshold: float | None = None,  # threshold of this request; by default the server's
        passive: bool | None = None,  # the user asked for help: the gate is skipped, and daily limits do not count the answer
    ) -> Recommended:
        """Score a request, and call the reasoner if the gate opens (POST /v1/recommend)."""
        return self._json(Recommended, "POST", "/v1/recommend", body={"profile": profile, "phone": phone, "world": world, "trace": trace, "user": user, "threshold": threshold, "passive": passive})

    def recommend_stream(
        self,
        *,
        profile: str,
        phone: str,
        world: str,
        trace: list[str | MomentTrace],  # recent steps of the user, oldest first
        user: str | None = None,  # the user of the policy; by default the name of the API key
        threshold: float | None = None,  # threshold of this request; by default the server's
        passive: bool | None = None,  # the user asked for help: the gate is skipped, and daily limits do not count the answer
    ) -> Iterator[Event]:
        """Events of: Score a request, and call the reasoner if the gate opens (POST /v1/recommend)."""
        return self._events("POST", "/v1/recommend", body={"profile": profile, "phone": phone, "world": world, "trace": trace, "user": user, "threshold": threshold, "passive": passive, "stream": True})

    def open_session(
        self,
        *,
        profile: str,
        phone: str,
        world: str,
        user: str | None = None,  # the user of the policy; by default the name of the API key
    ) -> OpenSessionResult:
        """Create a session; it encodes each step once (POST /v1/sessions)."""
        return self._json(OpenSessionResult, "POST", "/v1/sessions", body={"profile": profile, "phone": phone, "world": world, "user": user})

    def close_session(
        self,
        id: str,  # id of the session
    ) -> CloseSessionResult:
        """Delete a session (DELETE /v1/sessions/{id})."""
        return self._json(CloseSessionResult, "DELETE", f"/v1/sessions/{part(id)}")

    def add_frame(
        self,
        id: str,  # id of the session
        *,
        text: str | None = None,  # caption of the step, if there is no image
        image: str | None = None,  # a screenshot as a data URL
        profile: str | None = None,  # the new profile, if it changed
        phone: str | None = None,
        world: str | None = None,
        threshold: float | None = None,  # threshold of this request; by default the server's
    ) -> Perceived:
        """Add a step to the session and score it (POST /v1/sessions/{id}/frames)."""
        return self._json(Perceived, "POST", f"/v1/sessions/{part(id)}/frames", body={"text": text, "image": image, "profile": profile, "phone": phone, "world": world, "threshold": threshold})

    def ask(
        self,
        id: str,  # id of the session
        *,
        query: str | None = None,  # the user's question
        threshold: float | None = None,  # threshold of this request; by default the server's
    ) -> Recommended:
        """Ask for help now (POST /v1/sessions/{id}/ask)."""
        return self._json(Recommended, "POST", f"/v1/sessions/{part(id)}/ask", body={"query": query, "threshold": threshold})

    def ask_stream(
        self,
        id: str,  # id of the session
        *,
        query: str | None = None,  # the user's question
        threshold: float | None = None,  # threshold of this request; by default the server's
    ) -> Iterator[Event]:
        """Events of: Ask for help now (POST /v1/sessions/{id}/ask)."""
        return self._events("POST", f"/v1/sessions/{part(id)}/ask", body={"query": query, "threshold": threshold, "stream": True})

    def reward(
        self,
        *,
        items: list[RewardItem | RewardItem2],
    ) -> RewardResult:
        """Compute the structured reward of responses, by term (POST /v1/reward)."""
        return self._json(RewardResult, "POST", "/v1/reward", body={"items": items})

    def audit(
        self,
        user: str,  # name of the user in requests of the same API key
        *,
        limit: int | None = None,
        before: int | None = None,  # return only entries with a smaller id
    ) -> AuditResult:
        """List the decisions about a user, newest first (GET /v1/users/{user}/audit)."""
        return self._json(AuditResult, "GET", f"/v1/users/{part(user)}/audit", query={"limit": limit, "before": before})

    def export_data(
        self,
        user: str,  # name of the user in requests of the same API key
    ) -> ExportDataResult:
        """Export all data of a user (GET /v1/users/{user}/data)."""
        return self._json(ExportDataResult, "GET", f"/v1/users/{part(user)}/data")

    def erase_data(
        self,
        user: str,  # name of the user in requests of the same API key
    ) -> EraseDataResult:
        """Erase all data of a user (DELETE /v1/users/{user}/data)."""
        return self._json(EraseDataResult, "DELETE", f"/v1/users/{part(user)}/data")

    def feedback(
        self,
        user: str,  # name of the user in requests of the same API key
        *,
        moment: Moment,
        recommendation: Recommendation,
        accepted: bool,
    ) -> FeedbackResult:
        """Report whether the user accepted a recommendation (POST /v1/users/{user}/feedback)."""
        return self._json(FeedbackResult, "POST", f"/v1/users/{part(user)}/feedback", body={"moment": moment, "recommendation": recommendation, "accepted": accepted})

    def feedback_records(
        self,
        user: str,  # name of the user in requests of the same API key
    ) -> str:
        """Return the feedback as records for training (GET /v1/users/{user}/feedback)."""
        return self._text("GET", f"/v1/users/{part(user)}/feedback")

    def image(
        self,
        user: str,  # name of the user in requests of the same API key
        name: str,  # name of the image in the record
    ) -> bytes:
        """Return an image of a feedback record (GET /v1/users/{user}/images/{name})."""
        return self._bytes("GET", f"/v1/users/{part(user)}/images/{part(name)}")
