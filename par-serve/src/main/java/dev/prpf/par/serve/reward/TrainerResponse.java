package dev.prpf.par.serve.reward;

import dev.prpf.par.serve.http.ApiException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.commons.lang3.StringUtils;

/**
 * Extracts a policy's response from a trainer's text, as the same policy would have answered when deployed. Keeps only the first turn; its text is
 * unchanged except for special tokens at its end.
 */
final class TrainerResponse {
    private static final String ASSISTANT = "<|im_start|>assistant\n";
    /** Marks that end a turn: a deployed policy stops at the first one. */
    private static final Pattern END_OF_TURN =
            Pattern.compile("<\\|(?:im_end|endoftext|end_of_text|eot_id|eom_id|end|return)\\|>|<｜end▁of▁sentence｜>");
    /** Special tokens of other models that may follow a response; elsewhere they are text. */
    private static final List<String> ENDS = List.of("</s>", "<eos>", "<pad>", "<|pad|>", "<end_of_turn>");

    /** Number of characters at a prompt's end that identify the prompt where its beginning was cut off. */
    private static final int TAIL = 200;

    private TrainerResponse() {}

    /** Returns the response up to its first end of turn, without trailing special tokens and blanks. */
    static String withoutControl(String response) {
        Matcher end = END_OF_TURN.matcher(response);
        String text = end.find() ? response.substring(0, end.start()) : response;
        int to = StringUtils.stripEnd(text, null).length();
        for (int before = to + 1; to < before; ) {
            before = to;
            for (String token : ENDS) {
                to -= text.startsWith(token, to - token.length()) ? token.length() : 0;
            }
        }
        return text.substring(0, to);
    }

    /**
     * Returns the response in a whole conversation. The policy writes only after the prompt, so the first possible position counts. It is after the
     * prompt, else after its end's first match, else after the first assistant turn.
     *
     * @param query prompt and response with all their tokens
     * @param prompt empty if unknown
     * @param path of the query, for the message
     * @throws ApiException 400 if no response is found
     */
    static String afterPrompt(String query, String prompt, String path) {
        if (!prompt.isEmpty() && query.startsWith(prompt)) {
            return withoutControl(query.substring(prompt.length()));
        }
        for (String before : List.of(StringUtils.right(prompt, TAIL), ASSISTANT)) {
            int at = before.isEmpty() ? -1 : query.indexOf(before);
            if (at >= 0) {
                return withoutControl(query.substring(at + before.length()));
            }
        }
        throw ApiException.invalid(
                path,
                path + " holds neither its prompt nor \"<|im_start|>assistant\\n\", so that where the response begins"
                        + " is not known");
    }
}
