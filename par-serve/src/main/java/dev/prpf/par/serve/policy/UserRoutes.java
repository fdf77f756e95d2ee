package dev.prpf.par.serve.policy;

import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.image.EncodedImage.ImageFormat;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.data.encode.image.DataUrl;
import dev.prpf.data.io.RecordJson;
import dev.prpf.par.serve.http.ApiException;
import dev.prpf.par.serve.http.ApiServer;
import dev.prpf.par.serve.http.RequestBody;
import dev.prpf.par.serve.http.RequestFields;
import dev.prpf.par.serve.http.Routes;
import dev.prpf.par.serve.http.ServerMetrics;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.javalin.http.Handler;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.commons.lang3.function.FailableConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Routes to the stored data of users: audit, export, erasure and feedback. An API key reaches only the users that its own requests named, not
 * another key's user of the same name. Each route answers 503 while the database cannot be used.
 */
public final class UserRoutes implements Routes {
    private static final Logger LOG = LoggerFactory.getLogger(UserRoutes.class);
    private static final String USER = "/v1/users/{user}";
    private static final int PAGE = 100;
    private static final int LARGEST_PAGE = 1000;

    private final UserPolicies policies;
    private final UserState state;
    private final FunctionPool pool;
    private final BiFunction<RequestFields, String, Sample> reader;
    private final RequestBody body;
    private final ServerMetrics metrics;

    /**
     * @param pool the functions that recommendations may call
     * @param reader reads a feedback's sample from an object, given the sample's id
     */
    public UserRoutes(
            UserPolicies policies,
            FunctionPool pool,
            BiFunction<RequestFields, String, Sample> reader,
            RequestBody body,
            ServerMetrics metrics) {
        this.policies = policies;
        this.state = policies.state();
        this.pool = pool;
        this.reader = reader;
        this.body = body;
        this.metrics = metrics;
    }

    /** Returns the routes of a server without policies: each answers 503. */
    public static Routes missing() {
        return Routes.missing(
                "this server was started without --policy: it keeps nothing of users",
                "GET " + USER + "/audit",
                "GET " + USER + "/data",
                "GET " + USER + "/feedback",
                "GET " + USER + "/images/{name}",
                "DELETE " + USER + "/data",
                "POST " + USER + "/feedback");
    }

    @Override
    public void add(RoutesConfig routes) {
        routes.get(USER + "/audit", available(this::audit));
        routes.get(USER + "/data", available(this::export));
        routes.delete(USER + "/data", available(this::erase));
        routes.post(USER + "/feedback", available(this::takeFeedback));
        routes.get(USER + "/feedback", available(this::records));
        routes.get(USER + "/images/{name}", available(this::image));
    }

    private Handler available(Handler handler) {
        return context -> {
            try {
                handler.handle(context);
            } catch (UnavailableException e) {
                policies.outage().report(e);
                throw ApiException.unavailable(
                        UserPolicies.SOON,
                        "the data kept of users cannot be read or changed now; try again, the server's log has the cause");
            }
        };
    }

    private static Account account(Context context) {
        return Account.of(ApiServer.caller(context), context.pathParam("user"));
    }

    /** A page of the audit, newest first; {@code before} selects the next page, null after the last. */
    private record AuditPage(String user, List<UserExport.AuditLine> entries, @Nullable Long before) {}

    private void audit(Context context) {
        Account account = account(context);
        int limit = (int) number(context, "limit", LARGEST_PAGE, PAGE);
        long before = number(context, "before", Long.MAX_VALUE, Long.MAX_VALUE);
        List<UserExport.AuditLine> entries =
                state.audit(account, policies.rules(account).keptSince(policies.now()), before, limit).stream()
                        .map(UserExport.AuditLine::of)
                        .toList();
        Long next = entries.size() < limit ? null : entries.get(limit - 1).id();
        ApiServer.answer(context, 200, new AuditPage(account.user(), entries, next));
    }

    private static long number(Context context, String name, long most, long otherwise) {
        String text = context.queryParam(name);
        if (text == null) {
            return otherwise;
        }
        long value = text.matches("\\d{1,18}") ? Long.parseLong(text) : 0;
        if (value < 1 || value > most) {
            String rule = most == Long.MAX_VALUE ? "of at least 1" : "from 1 to " + most;
            throw ApiException.invalid(name, name + " must be an integer " + rule);
        }
        return value;
    }

    private void export(Context context) {
        UserExport export = exporting(context);
        stream(context, "application/json", export::write);
    }

    private UserExport exporting(Context context) {
        Account account = account(context);
        long largest = state.largest(account);
        ApiServer.reserve(context, UserExport.memory(largest));
        return new UserExport(policies, account, UserExport.atOnce(largest));
    }

    private void records(Context context) {
        UserExport export = exporting(context);
        stream(context, "application/jsonl; charset=utf-8", export::writeRecords);
    }

    private static void stream(Context context, String type, FailableConsumer<OutputStream, IOException> content) {
        context.contentType(type);
        try {
            content.accept(context.outputStream());
        } catch (IOException e) {
            LOG.debug("{}: the client went away: {}", ApiServer.requestId(context), e.getMessage());
        }
    }

    private void erase(Context context) {
        Account account = account(context);
        ApiServer.answer(context, 200, policies.erase(account));
    }

    /**
     * The answer to feedback. Feedback counts unless its user was erased meanwhile.
     *
     * @param why the policy key or setting because of which it was not kept, or {@link UserState#ERASED}
     * @param withheld names of signals that the policy removed
     */
    private record Receipt(boolean kept, @Nullable String id, @Nullable String why, List<String> withheld) {}

    private void takeFeedback(Context context) {
        long since = System.nanoTime();
        Account account = account(context);
        RequestFields fields = body.fields(context);
        Feedback feedback = Feedback.read(fields, pool, reader);
        metrics.ignored(USER + "/feedback", fields);
        UserRules rules = policies.rules(account);
        UserRules.Allowed allowed = rules.read(feedback.sample());
        String why = !rules.policy().keepFeedback()
                ? "keep-feedback"
                : rules.namesApp(feedback.recommendation()) ? UserRules.APPS : null;
        UserState.Kept record = why == null ? kept(feedback, allowed.sample()) : null;
        UserState.Answer answer = new UserState.Answer(feedback.accepted(), policies.now(), since);
        String refused = state.addFeedback(account, answer, record, policies.mostFeedbackBytes());
        boolean kept = why == null && refused == null;
        String id = kept ? feedback.sample().id() : null;
        ApiServer.answer(context, 200, new Receipt(kept, id, refused == null ? why : refused, allowed.withheld()));
    }

    private static UserState.Kept kept(Feedback feedback, Sample allowed) {
        ImageNames named = ImageNames.of(allowed);
        String json = RecordJson.write(feedback.record(named.sample())).toString();
        return new UserState.Kept(json, named.images());
    }

    private void image(Context context) {
        String name = context.pathParam("name");
        String type = ImageNames.type(name);
        byte[] bytes = state.image(account(context), name);
        if (bytes == null) {
            throw ImageNames.notFound();
        }
        ApiServer.reserve(context, bytes.length);
        context.contentType(type).result(bytes);
    }

    /**
     * A sample with file names in place of its data URLs. The images are known to have headers of a supported format.
     *
     * @param sample each image's path is {@code SHA256.TYPE}
     */
    record ImageNames(Sample sample, Map<String, byte[]> images) {
        private static final Pattern NAME = Pattern.compile("[0-9a-f]{64}\\.(png|jpeg|gif|bmp)");
        /**
         * Replaces the data URLs by names.
         *
         * @throws InvalidDataException for a path that is not a data URL of an image
         */
        static ImageNames of(Sample sample) {
            Map<String, byte[]> images = new LinkedHashMap<>();
            List<TraceStep> steps = new ArrayList<>();
            for (TraceStep step : sample.trajectory().steps()) {
                steps.add(step instanceof TraceStep.Screenshot shot ? named(shot, images) : step);
            }
            return new ImageNames(sample.with(sample.context(), new Trajectory(steps), sample.answers()), images);
        }

        private static TraceStep named(TraceStep.Screenshot shot, Map<String, byte[]> images) {
            byte[] bytes = DataUrl.bytes(shot.path());
            String name = AtomicFiles.sha256(bytes) + "." + ImageFormat.of(bytes);
            images.put(name, bytes);
            return new TraceStep.Screenshot(name);
        }

        /** Returns the media type for a file name, such as {@code image/png}; throws "not found" for an invalid name. */
        static String type(String name) {
            Matcher matcher = NAME.matcher(name);
            if (!matcher.matches()) {
                throw notFound();
            }
            return "image/" + matcher.group(1);
        }

        static ApiException notFound() {
            return ApiException.notFound(null, "image_not_found", "this user has no image of that name");
        }
    }
}
