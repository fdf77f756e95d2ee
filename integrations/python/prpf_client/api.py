"""Types and methods of PRPF's server. PythonClientTest renders this file from openapi.json, with -Dprpf.write=true."""
from collections.abc import Iterator
from typing import Any, Literal, NotRequired, TypedDict

from prpf_client.http import Event, Http, part


class Status(TypedDict):
    status: str


class VersionResult(TypedDict):
    version: str


class MomentTrace(TypedDict):
    """a step as a record has it"""

    picture: NotRequired[str]  # a data URL; no path and no address is opened
    source: NotRequired[str]
    text: NotRequired[str]


class Perceived(TypedDict):
    p_trigger: float  # that help is due
    trigger: bool  # help is due and allowed
    threshold: float
    scenarios: dict[str, float]
    withheld: list[str]  # signals that the user does not let be read
    silence: str | None  # why there is no trigger
    steps: NotRequired[int]  # of the session so far


class Call(TypedDict):
    name: str
    parameters: dict[str, Any]


class Recommendation(TypedDict):
    instruction: str
    functions: list[Call]


class Recommended(TypedDict):
    route: Literal["silent", "reasoned"]  # whether the gate kept the moment from the reasoner
    p_trigger: float | None
    threshold: float
    scenarios: dict[str, float]
    candidate_functions: list[str]
    response: str | None  # the reasoner's text
    recommendations: list[Recommendation] | None  # none is silence, null a malformed response
    finish: Literal["stop", "length"] | None
    cost: dict[str, Any]  # tokens, passes, operations and seconds by part
    withheld: list[str]
    silence: str | None  # why nothing is recommended


class OpenSessionResult(TypedDict):
    id: str
    expires_in: int  # seconds without a request after which it is forgotten


class CloseSessionResult(TypedDict):
    id: str
    deleted: bool


class RewardItem(TypedDict):
    id: str  # of a sample of the gold file
    response: str  # as the policy wrote it


class RewardItem2(TypedDict):
    id: str
    calls: list[list[Call]]  # one list a recommendation; none is silence


class RewardTerms(TypedDict):
    """weighted; they add up to total"""

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
    terms: RewardTerms  # weighted; they add up to total
    quadrant: Literal["TP", "TN", "FP", "FN"] | None  # null for a malformed response


class RewardResult(TypedDict):
    items: list[Reward]


class AuditLineDecision(TypedDict):
    passive: NotRequired[bool]
    used: NotRequired[dict[str, str]]  # signal to the keyed hash of what was read
    withheld: NotRequired[list[str]]
    p_trigger: NotRequired[float | None]
    threshold: NotRequired[float]
    silence: NotRequired[str | None]
    recommendations: NotRequired[list[str]]
    content: NotRequired[Any]  # what was read itself, where the user wants it kept, else null


class AuditLine(TypedDict):
    id: int
    time: str
    decision: AuditLineDecision


class AuditResult(TypedDict):
    user: str
    entries: list[AuditLine]
    before: int | None  # of the next page; null after the last


class ExportDataResultIntervention(TypedDict):
    time: NotRequired[str]


class ExportDataResultFeedback(TypedDict):
    time: NotRequired[str]
    accepted: NotRequired[bool]
    record: NotRequired[Any]  # as training reads it, or null


class ExportDataResultImage(TypedDict):
    name: NotRequired[str]
    content: NotRequired[str]  # base64


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
    """A moment on a phone, as a record's reference_information."""

    profile: str
    phone: str
    world: str
    trace: list[str | MomentTrace]  # what the user did last, oldest first


class FeedbackResult(TypedDict):
    kept: bool  # whether a record was kept
    id: str | None
    why: str | None  # why it was not
    withheld: list[str]


class Client(Http):
    """One method an operation; None leaves a field out. See prpf_client.http for address, key, timeout and errors."""

    def health(self) -> Status:
        """Whether the process lives (GET /health)."""
        return self._json(Status, "GET", "/health")

    def ready(self) -> Status:
        """Whether it takes requests (GET /ready)."""
        return self._json(Status, "GET", "/ready")

    def version(self) -> VersionResult:
        """Which revision runs (GET /version)."""
        return self._json(VersionResult, "GET", "/version")

    def metrics(self) -> str:
        """What was counted, for Prometheus (GET /metrics)."""
        return self._text("GET", "/metrics")

    def perceive(
        self,
        *,
        profile: str,
        phone: str,
        world: str,
        trace: list[str | MomentTrace],  # what the user did last, oldest first
        user: str | None = None,  # whose policy holds; the caller's name by default
        threshold: float | None = None,  # tau of this request; the server's by default
    ) -> Perceived:
        """Whether help is due at a moment (POST /v1/perceive)."""
        return self._json(Perceived, "POST", "/v1/perceive", body={"profile": profile, "phone": phone, "world": world, "trace": trace, "user": user, "threshold": threshold})

    def recommend(
        self,
        *,
        profile: str,
        phone: str,
        world: str,
        trace: list[str | MomentTrace],  # what the user did last, oldest first
        user: str | None = None,  # whose policy holds; the caller's name by default
        threshold: float | None = None,  # tau of this request; the server's by default
        passive: bool | None = None,  # the user asked: no gate, and it counts as no intervention
    ) -> Recommended:
        """Perceive, and reason where help is due (POST /v1/recommend)."""
        return self._json(Recommended, "POST", "/v1/recommend", body={"profile": profile, "phone": phone, "world": world, "trace": trace, "user": user, "threshold": threshold, "passive": passive})

    def recommend_stream(
        self,
        *,
        profile: str,
        phone: str,
        world: str,
        trace: list[str | MomentTrace],  # what the user did last, oldest first
        user: str | None = None,  # whose policy holds; the caller's name by default
        threshold: float | None = None,  # tau of this request; the server's by default
        passive: bool | None = None,  # the user asked: no gate, and it counts as no intervention
    ) -> Iterator[Event]:
        """Events of: Perceive, and reason where help is due (POST /v1/recommend)."""
        return self._events("POST", "/v1/recommend", body={"profile": profile, "phone": phone, "world": world, "trace": trace, "user": user, "threshold": threshold, "passive": passive, "stream": True})

    def open_session(
        self,
        *,
        profile: str,
        phone: str,
        world: str,
        user: str | None = None,  # whose policy holds; the caller's name by default
    ) -> OpenSessionResult:
        """Begin a session, which encodes each frame once (POST /v1/sessions)."""
        return self._json(OpenSessionResult, "POST", "/v1/sessions", body={"profile": profile, "phone": phone, "world": world, "user": user})

    def close_session(
        self,
        id: str,  # of the session
    ) -> CloseSessionResult:
        """Forget a session (DELETE /v1/sessions/{id})."""
        return self._json(CloseSessionResult, "DELETE", f"/v1/sessions/{part(id)}")

    def add_frame(
        self,
        id: str,  # of the session
        *,
        text: str | None = None,  # a caption; or an image
        image: str | None = None,  # a screenshot as a data URL
        profile: str | None = None,  # where it changed
        phone: str | None = None,
        world: str | None = None,
        threshold: float | None = None,  # tau of this request; the server's by default
    ) -> Perceived:
        """Tell the next step and perceive (POST /v1/sessions/{id}/frames)."""
        return self._json(Perceived, "POST", f"/v1/sessions/{part(id)}/frames", body={"text": text, "image": image, "profile": profile, "phone": phone, "world": world, "threshold": threshold})

    def ask(
        self,
        id: str,  # of the session
        *,
        query: str | None = None,  # what the user asks, in words
        threshold: float | None = None,  # tau of this request; the server's by default
    ) -> Recommended:
        """Ask for help now (POST /v1/sessions/{id}/ask)."""
        return self._json(Recommended, "POST", f"/v1/sessions/{part(id)}/ask", body={"query": query, "threshold": threshold})

    def ask_stream(
        self,
        id: str,  # of the session
        *,
        query: str | None = None,  # what the user asks, in words
        threshold: float | None = None,  # tau of this request; the server's by default
    ) -> Iterator[Event]:
        """Events of: Ask for help now (POST /v1/sessions/{id}/ask)."""
        return self._events("POST", f"/v1/sessions/{part(id)}/ask", body={"query": query, "threshold": threshold, "stream": True})

    def reward(
        self,
        *,
        items: list[RewardItem | RewardItem2],
    ) -> RewardResult:
        """The structured reward of responses, term by term (POST /v1/reward)."""
        return self._json(RewardResult, "POST", "/v1/reward", body={"items": items})

    def audit(
        self,
        user: str,  # as requests name them; only of the API key's own requests
        *,
        limit: int | None = None,
        before: int | None = None,  # entries with a smaller id
    ) -> AuditResult:
        """Every decision about a user, newest first (GET /v1/users/{user}/audit)."""
        return self._json(AuditResult, "GET", f"/v1/users/{part(user)}/audit", query={"limit": limit, "before": before})

    def export_data(
        self,
        user: str,  # as requests name them; only of the API key's own requests
    ) -> ExportDataResult:
        """All that is kept of a user (GET /v1/users/{user}/data)."""
        return self._json(ExportDataResult, "GET", f"/v1/users/{part(user)}/data")

    def erase_data(
        self,
        user: str,  # as requests name them; only of the API key's own requests
    ) -> EraseDataResult:
        """Erase all that is kept of a user (DELETE /v1/users/{user}/data)."""
        return self._json(EraseDataResult, "DELETE", f"/v1/users/{part(user)}/data")

    def feedback(
        self,
        user: str,  # as requests name them; only of the API key's own requests
        *,
        moment: Moment,
        recommendation: Recommendation,
        accepted: bool,
    ) -> FeedbackResult:
        """Whether a recommendation was taken (POST /v1/users/{user}/feedback)."""
        return self._json(FeedbackResult, "POST", f"/v1/users/{part(user)}/feedback", body={"moment": moment, "recommendation": recommendation, "accepted": accepted})

    def feedback_records(
        self,
        user: str,  # as requests name them; only of the API key's own requests
    ) -> str:
        """The records of feedback, ready for training (GET /v1/users/{user}/feedback)."""
        return self._text("GET", f"/v1/users/{part(user)}/feedback")

    def image(
        self,
        user: str,  # as requests name them; only of the API key's own requests
        name: str,  # as a record has it
    ) -> bytes:
        """An image of a record (GET /v1/users/{user}/images/{name})."""
        return self._bytes("GET", f"/v1/users/{part(user)}/images/{part(name)}")
