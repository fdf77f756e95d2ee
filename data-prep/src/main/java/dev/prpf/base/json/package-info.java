/** Records as JSON and back, by one mapper: {@link dev.prpf.base.json.JsonRecords}. */
@NullMarked
package dev.prpf.base.json;

import org.jspecify.annotations.NullMarked;
