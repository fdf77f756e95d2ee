package dev.prpf.par.generate;

import com.fasterxml.jackson.annotation.JsonProperty;

/** The reason why a generation ended; files have these names in lower case. */
public enum FinishReason {
    /** The model generated an end token, which is the last token. */
    @JsonProperty("end_token")
    END_TOKEN,
    /** The text contains one of the stop texts; the last token completed it. */
    @JsonProperty("stop_text")
    STOP_TEXT,
    /** The token limit or the end of the model's positions was reached. */
    @JsonProperty("length")
    LENGTH,
    /** The client cancelled the generation. */
    @JsonProperty("cancelled")
    CANCELLED,
    /** The timeout of the generation expired. */
    @JsonProperty("timeout")
    TIMEOUT
}
