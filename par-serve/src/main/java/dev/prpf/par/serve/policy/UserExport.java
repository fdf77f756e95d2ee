package dev.prpf.par.serve.policy;

import com.fasterxml.jackson.annotation.JsonRawValue;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.par.serve.policy.UserState.Row;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** Writes the data kept of an account while it is read: memory holds one page of it, or one image. */
record UserExport(UserPolicies policies, Account account, int atOnce) {
    private static final int PAGE = 20;

    /** Copies of an image in memory: as bytes, in Base64, as JSON and as bytes of JSON. */
    private static final int COPIES = 5;

    /** One intervention in the export. */
    private record Shown(String time) {}

    /** One answer of the user; its training record, null where none was kept. */
    private record Said(String time, boolean accepted, @JsonRawValue @Nullable String record) {}

    /** An image of the records, in Base64. */
    private record Picture(String name, String content) {}

    /** Returns the number of rows to read at once: one if a row may be long. */
    static int atOnce(long largest) {
        return largest > 1 << 16 ? 1 : PAGE;
    }

    /** Returns the heap bytes for writing, given the largest row or image. */
    static long memory(long largest) {
        return (COPIES + atOnce(largest)) * largest;
    }

    /** Fails early if the database cannot be used. Once the response has begun, it can only be cut off and is not JSON then. */
    UserExport {
        policies.state().interventions(account, 0, 1);
    }

    /** Writes {@code {"user", "time", "policy", "interventions", "feedback", "pictures", "audit"}} as one JSON object. */
    void write(OutputStream out) throws IOException {
        UserState state = policies.state();
        Instant now = policies.now();
        Instant since = policies.rules(account).keptSince(now);
        text(out, "{\"user\":" + JsonRecords.write(account.user()));
        text(out, ",\"time\":" + JsonRecords.write(now.toString()));
        text(
                out,
                ",\"policy\":"
                        + JsonRecords.write(
                                StrictYaml.plain(policies.rules(account).policy())));
        array(out, "interventions", 0, id -> state.interventions(account, id, atOnce), row -> new Shown(time(row)));
        array(
                out,
                "feedback",
                0,
                id -> state.feedback(account, id, atOnce),
                row -> new Said(time(row), row.accepted(), row.json()));
        pictures(out);
        array(out, "audit", Long.MAX_VALUE, id -> state.audit(account, since, id, atOnce), AuditLine::of);
        text(out, "}\n");
    }

    private static String time(Row row) {
        return row.at().toString();
    }

    private void pictures(OutputStream out) throws IOException {
        String before = ",\"pictures\":[";
        for (String name : policies.state().pictures(account)) {
            byte[] bytes = policies.state().picture(account, name);
            if (bytes != null) {
                text(
                        out,
                        before
                                + JsonRecords.write(
                                        new Picture(name, Base64.getEncoder().encodeToString(bytes))));
                before = ",";
            }
        }
        text(out, before.equals(",") ? "]" : before + "]");
    }

    private static void array(
            OutputStream out, String name, long start, LongFunction<List<Row>> page, Function<Row, Record> told)
            throws IOException {
        text(out, ",\"" + name + "\":[");
        long id = start;
        String before = "";
        for (List<Row> rows = page.apply(id); !rows.isEmpty(); rows = page.apply(id)) {
            for (Row row : rows) {
                text(out, before + JsonRecords.write(told.apply(row)));
                before = ",";
                id = row.id();
            }
        }
        text(out, "]");
    }

    /** Writes only the feedback's records, one a line, as {@code gate train} reads them. */
    void writeRecords(OutputStream out) throws IOException {
        long id = 0;
        for (List<Row> rows = page(id); !rows.isEmpty(); rows = page(id)) {
            for (Row row : rows) {
                if (row.json() != null) {
                    text(out, Objects.requireNonNull(row.json()) + "\n");
                }
                id = row.id();
            }
        }
    }

    private List<Row> page(long after) {
        return policies.state().feedback(account, after, atOnce);
    }

    private static void text(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
    }
}
