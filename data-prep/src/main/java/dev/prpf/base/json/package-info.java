/** Maps records to JSON ({@link dev.prpf.base.json.JsonRecords}) and parses untrusted JSON ({@code EmbeddedJson}). */
@NullMarked
package dev.prpf.base.json;

import org.jspecify.annotations.NullMarked;
