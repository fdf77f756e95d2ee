package dev.prpf.par.serve.policy;

import com.fasterxml.jackson.annotation.JsonRawValue;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.par.serve.policy.UserState.Row;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.function.LongFunction;
import org.apache.commons.lang3.function.FailableConsumer;
import org.jspecify.annotations.Nullable;

/** Writes all stored data of an account to a response. Memory holds one page of the data, or one image. */
record UserExport(UserPolicies policies, Account account, int atOnce) {
    private static final int PAGE = 20;

    /** Copies of a row in memory: as bytes, as JSON and as bytes of JSON. */
    private static final int COPIES = 5;

    /**
     * An audit entry as the API returns it.
     *
     * @param id grows with each entry
     * @param time in UTC
     * @param decision an {@link AuditEntry} as JSON
     */
    record AuditLine(long id, String time, @JsonRawValue String decision) {
        static AuditLine of(Row row) {
            return new AuditLine(row.id(), row.at().toString(), row.json());
        }
    }

    private record Shown(String time) {}

    /** One answer of the user; its training record, null where none was kept. */
    private record Said(String time, boolean accepted, @JsonRawValue @Nullable String record) {}

    /** Returns the number of rows to read at once: one if a row may be long. */
    static int atOnce(long largest) {
        return largest > 1 << 16 ? 1 : PAGE;
    }

    /** Returns the heap bytes for writing, given the largest row or image. */
    static long memory(long largest) {
        return (COPIES + atOnce(largest)) * largest;
    }

    /** Fails before the response begins if the database cannot be used. A response that has begun could only be cut off. */
    UserExport {
        policies.state().interventions(account, 0, 1);
    }

    /** Writes {@code {"user", "time", "policy", "interventions", "feedback", "images", "audit"}} as one JSON object. */
    void write(OutputStream out) throws IOException {
        UserState state = policies.state();
        UserRules rules = policies.rules(account);
        Instant now = policies.now();
        JsonGenerator json = new JsonFactory().createGenerator(out); // not closed, which would complete a failed export
        json.writeStartObject();
        json.writeStringField("user", account.user());
        json.writeStringField("time", now.toString());
        json.writeFieldName("policy");
        json.writeRawValue(JsonRecords.write(StrictYaml.plain(rules.policy())));
        json.writeArrayFieldStart("interventions");
        each(0, id -> state.interventions(account, id, atOnce), row -> raw(json, new Shown(time(row))));
        json.writeEndArray();
        json.writeArrayFieldStart("feedback");
        each(
                0,
                id -> state.feedback(account, id, atOnce),
                row -> raw(json, new Said(time(row), row.accepted(), row.json().isEmpty() ? null : row.json())));
        json.writeEndArray();
        images(json);
        json.writeArrayFieldStart("audit");
        each(
                Long.MAX_VALUE,
                id -> state.audit(account, rules.keptSince(now), id, atOnce),
                row -> raw(json, AuditLine.of(row)));
        json.writeEndArray();
        json.writeEndObject();
        json.writeRaw('\n');
        json.flush();
    }

    private static String time(Row row) {
        return row.at().toString();
    }

    private static void raw(JsonGenerator json, Record value) throws IOException {
        json.writeRawValue(JsonRecords.write(value));
    }

    private void images(JsonGenerator json) throws IOException {
        json.writeArrayFieldStart("images");
        for (String name : policies.state().images(account)) {
            byte[] bytes = policies.state().image(account, name);
            if (bytes != null) {
                json.writeStartObject();
                json.writeStringField("name", name);
                json.writeBinaryField("content", bytes);
                json.writeEndObject();
            }
        }
        json.writeEndArray();
    }

    private static void each(long start, LongFunction<List<Row>> page, FailableConsumer<Row, IOException> written)
            throws IOException {
        long id = start;
        for (List<Row> rows = page.apply(id); !rows.isEmpty(); rows = page.apply(id)) {
            for (Row row : rows) {
                written.accept(row);
                id = row.id();
            }
        }
    }

    /** Writes only the feedback's records, one a line, as {@code gate train} reads them. */
    void writeRecords(OutputStream out) throws IOException {
        each(0, id -> policies.state().feedback(account, id, atOnce), row -> {
            if (!row.json().isEmpty()) {
                out.write((row.json() + "\n").getBytes(StandardCharsets.UTF_8));
            }
        });
    }
}
