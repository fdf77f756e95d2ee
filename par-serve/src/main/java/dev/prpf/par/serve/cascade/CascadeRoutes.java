package dev.prpf.par.serve.cascade;

import dev.prpf.data.DeviceContext;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.par.prompt.PromptSettings.PromptWording;
import dev.prpf.par.serve.cascade.CascadeSettings.SessionSettings;
import dev.prpf.par.serve.cascade.ServedCascade.PerceiveAnswer;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.http.ApiServer;
import dev.prpf.par.serve.http.ClientConnection;
import dev.prpf.par.serve.http.EventStream;
import dev.prpf.par.serve.http.HttpSettings;
import dev.prpf.par.serve.http.RequestBody;
import dev.prpf.par.serve.http.RequestFields;
import dev.prpf.par.serve.http.Routes;
import dev.prpf.par.serve.http.ServerMetrics;
import dev.prpf.par.serve.policy.InterventionPolicy;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.micrometer.core.instrument.Gauge;
import java.util.List;

/** Routes {@code /v1/perceive}, {@code /v1/recommend} and {@code /v1/sessions} (docs/SERVE.md, The cascade). */
public final class CascadeRoutes implements Routes, AutoCloseable {
    private static final String PERCEIVE = "/v1/perceive";
    private static final String RECOMMEND = "/v1/recommend";
    private static final String SESSIONS = "/v1/sessions";
    private static final String SESSION = "/v1/sessions/{id}";
    private static final String FRAMES = "/v1/sessions/{id}/frames";
    private static final String ASK = "/v1/sessions/{id}/ask";

    private final ServedCascade cascade;
    private final Sessions sessions;
    private final MomentReader reader;
    private final RequestBody body;
    private final ServerMetrics metrics;

    /** Limits for requests, samples and sessions. */
    public record Limits(HttpSettings http, CascadeSettings cascade, SessionSettings sessions) {}

    public CascadeRoutes(ServedCascade cascade, Limits limits, ServerMetrics metrics) {
        this.cascade = cascade;
        this.metrics = metrics;
        sessions = new Sessions(
                limits.sessions(),
                SessionWindow.of(limits),
                metrics.share(limits.sessions().maxTotalBytes()),
                System::nanoTime);
        reader = new MomentReader(limits.http(), limits.cascade());
        body = new RequestBody(limits.http());
        Gauge.builder("prpf.sessions", sessions, Sessions::size).register(metrics.registry());
    }

    /** Returns the routes of a server that has neither perceiver nor reasoner: each answers 503. */
    public static Routes missing() {
        return Routes.missing(
                "this server was started without --gate and --reasoner: it perceives nothing",
                "POST " + PERCEIVE,
                "POST " + RECOMMEND,
                "POST " + SESSIONS,
                "POST " + FRAMES,
                "POST " + ASK,
                "DELETE " + SESSION);
    }

    @Override
    public void add(RoutesConfig routes) {
        routes.post(PERCEIVE, this::perceive);
        routes.post(RECOMMEND, this::recommend);
        routes.post(SESSIONS, this::open);
        routes.delete(SESSION, this::delete);
        routes.post(FRAMES, this::frame);
        routes.post(ASK, this::ask);
    }

    private void perceive(Context context) {
        ServedCascade.Ask asked = asked(context, PERCEIVE, body.fields(context), false);
        ApiServer.answer(context, 200, cascade.perceive(asked, client(context)));
    }

    private static Client client(Context context) {
        return new Client(ApiServer.caller(context), new ClientConnection(context)::requireOpen);
    }

    private void recommend(Context context) {
        cascade.reasoner();
        RequestFields fields = body.fields(context);
        boolean passive = fields.flag("passive", false);
        boolean stream = fields.flag("stream", false);
        answer(context, asked(context, RECOMMEND, fields, passive), stream);
    }

    /** Builds the request from a complete sample in the body. */
    private ServedCascade.Ask asked(Context context, String route, RequestFields fields, boolean passive) {
        String caller = ApiServer.caller(context);
        RequestFields reference = MomentReader.reference(fields);
        Sample sample = reader.sample(reference, ApiServer.requestId(context));
        InterventionPolicy.Moment moment =
                new InterventionPolicy.Moment(caller, MomentReader.user(fields, caller), sample, passive);
        ServedCascade.Ask ask = new ServedCascade.Ask(
                moment, MomentReader.threshold(fields), MomentFields.whole(reference.path("trace")));
        metrics.ignored(route, fields);
        if (reference != fields) {
            metrics.ignored(route, reference);
        }
        return ask;
    }

    /** Answers with a recommendation, as one body or as events. */
    private void answer(Context context, ServedCascade.Ask ask, boolean stream) {
        String caller = ApiServer.caller(context);
        Runnable connection = new ClientConnection(context)::requireOpen;
        EventStream events = new EventStream(context);
        if (!stream) {
            ApiServer.answer(context, 200, cascade.recommend(caller, ask, new Audience(connection, null)));
            return;
        }
        try {
            events.send("result", cascade.recommend(caller, ask, new Audience(connection, events)));
        } catch (RuntimeException e) {
            events.fail("error", e);
        }
    }

    /** The answer to {@code POST /v1/sessions}. */
    private record Opened(String id, int expiresIn) {}

    private void open(Context context) {
        RequestFields fields = body.fields(context);
        String caller = ApiServer.caller(context);
        String user = MomentReader.user(fields, caller);
        cascade.parts().policy().requireUser(user);
        DeviceContext now = reader.context(fields, null);
        reader.requireCharacters(null, now, List.of());
        metrics.ignored(SESSIONS, fields);
        PerceivedStream stream = cascade.parts().perceiver().newStream();
        String id = sessions.open(new Session.Owner(caller, user), now, stream);
        ApiServer.answer(context, 200, new Opened(id, sessions.settings().idleTimeout()));
    }

    private Session session(Context context) {
        return sessions.get(context.pathParam("id"), ApiServer.caller(context));
    }

    private void frame(Context context) {
        Session session = session(context);
        RequestFields fields = body.fields(context);
        TraceStep step = reader.step(fields);
        Double threshold = MomentReader.threshold(fields);
        Session.Frame frame = new Session.Frame(
                ApiServer.requestId(context), client(context), before -> updated(fields, before, step), step);
        PerceiveAnswer answer = session.frame(frame, moment -> {
            InterventionPolicy.Moment owned = session.owner().moment(moment.sample());
            return cascade.perceive(new ServedCascade.Ask(owned, threshold, MomentFields.frame()), moment.perceiving());
        });
        metrics.ignored(FRAMES, fields);
        ApiServer.answer(context, 200, answer);
    }

    private DeviceContext updated(RequestFields fields, DeviceContext before, TraceStep step) {
        DeviceContext now = reader.context(fields, before);
        boolean words = step instanceof TraceStep.Caption;
        reader.requireCharacters(words ? "text" : null, now, List.of(step.text(shot -> "")));
        return now;
    }

    private void ask(Context context) {
        Session session = session(context);
        PromptWording wording = cascade.reasoner().wording();
        RequestFields fields = body.fields(context);
        String query = fields.text("query");
        boolean stream = fields.flag("stream", false);
        Double threshold = MomentReader.threshold(fields);
        metrics.ignored(ASK, fields);
        if (query != null && query.isBlank()) {
            throw ApiException.invalid("query", "query is blank; leave it out to ask without words");
        }
        String question = query == null ? null : introduced(wording) + query;
        Sample now = session.now(ApiServer.requestId(context), question, before -> {
            if (query != null) {
                MomentReader.requireWords("query", query);
                reader.requireCharacters("query", before, List.of(introduced(wording) + query));
            }
        });
        InterventionPolicy.Moment moment = session.owner().asking(now, question);
        answer(context, new ServedCascade.Ask(moment, threshold, MomentFields.question(query != null)), stream);
    }

    /** Returns the words that precede a question, as the last step of a trajectory. */
    private static String introduced(PromptWording wording) {
        return wording == PromptWording.ENGLISH ? "The user asks: " : "用户提问：";
    }

    /** The answer to a deletion, in OpenAI's format. */
    private record Deleted(String id, boolean deleted) {}

    private void delete(Context context) {
        String id = context.pathParam("id");
        sessions.close(id, ApiServer.caller(context));
        ApiServer.answer(context, 200, new Deleted(id, true));
    }

    /** Forgets the sessions of an API key's user. */
    public void forget(String caller, String user) {
        sessions.forget(caller, user);
    }

    /** Forgets all sessions, and ends their timer. */
    @Override
    public void close() {
        sessions.close();
    }
}
