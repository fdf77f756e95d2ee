package dev.prpf.par.generate;

import com.fasterxml.jackson.annotation.JsonProperty;

/** Why a generation ended; files have these names in lower case. */
public enum FinishReason {
    /** An end token was written; it is the last token. */
    @JsonProperty("end_token")
    END_TOKEN,
    /** The text came to hold one of the stop texts; the last token completed it. */
    @JsonProperty("stop_text")
    STOP_TEXT,
    /** No more tokens were asked for, or the model has no more positions. */
    @JsonProperty("length")
    LENGTH,
    /** The caller called it off. */
    @JsonProperty("cancelled")
    CANCELLED,
    /** Its time ran out. */
    @JsonProperty("timeout")
    TIMEOUT
}
