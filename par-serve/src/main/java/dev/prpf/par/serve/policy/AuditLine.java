package dev.prpf.par.serve.policy;

import com.fasterxml.jackson.annotation.JsonRawValue;
import java.util.Objects;

/**
 * An audit entry as the API returns it.
 *
 * @param id grows with each entry
 * @param time in UTC
 * @param decision an {@link AuditEntry} as JSON
 */
record AuditLine(long id, String time, @JsonRawValue String decision) {
    static AuditLine of(UserState.Row row) {
        return new AuditLine(row.id(), row.at().toString(), Objects.requireNonNull(row.json(), "NOT NULL"));
    }
}
