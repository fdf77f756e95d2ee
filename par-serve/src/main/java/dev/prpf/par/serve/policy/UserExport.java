package dev.prpf.par.serve.policy;

import com.fasterxml.jackson.annotation.JsonRawValue;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.par.serve.policy.UserState.Row;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import java.util.function.LongFunction;
import java.util.stream.Stream;
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

    private record Image(String name, byte[] content) {}

    /** The whole export; the iterators read the database while it is written. */
    private record Content(
            String user,
            String time,
            Object policy,
            Iterator<Shown> interventions,
            Iterator<Said> feedback,
            Iterator<Image> images,
            Iterator<AuditLine> audit) {}

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
        Content content = new Content(
                account.user(),
                now.toString(),
                StrictYaml.plain(rules.policy()),
                rows(0, id -> state.interventions(account, id, atOnce))
                        .map(row -> new Shown(row.at().toString()))
                        .iterator(),
                rows(0, id -> state.feedback(account, id, atOnce))
                        .map(row -> new Said(
                                row.at().toString(), row.accepted(), row.json().isEmpty() ? null : row.json()))
                        .iterator(),
                state.images(account).stream()
                        .flatMap(name ->
                                Stream.ofNullable(state.image(account, name)).map(bytes -> new Image(name, bytes)))
                        .iterator(),
                rows(Long.MAX_VALUE, id -> state.audit(account, rules.keptSince(now), id, atOnce))
                        .map(AuditLine::of)
                        .iterator());
        JsonRecords.write(out, content);
        out.write('\n');
        out.flush();
    }

    /** Returns the rows of all pages; a page is read when it is needed. */
    private static Stream<Row> rows(long start, LongFunction<List<Row>> page) {
        Row before = new Row(start, Instant.EPOCH, false, "");
        return Stream.iterate(
                        List.of(before),
                        rows -> !rows.isEmpty(),
                        rows -> page.apply(rows.get(rows.size() - 1).id()))
                .skip(1)
                .flatMap(List::stream);
    }

    /** Writes only the feedback's records, one a line, as {@code gate train} reads them. */
    void writeRecords(OutputStream out) throws IOException {
        Iterator<Row> rows =
                rows(0, id -> policies.state().feedback(account, id, atOnce)).iterator();
        while (rows.hasNext()) {
            String json = rows.next().json();
            if (!json.isEmpty()) {
                out.write((json + "\n").getBytes(StandardCharsets.UTF_8));
            }
        }
    }
}
