package dev.prpf.par.serve.reward;

import dev.prpf.par.serve.http.ApiException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.commons.lang3.StringUtils;

/**
 * A policy's response in what a trainer sends. It is what the same policy would have answered when deployed: its first turn alone, whose text
 * stays as it was written but for special tokens at its end.
 */
final class ResponseText {
    private static final String ASSISTANT = "<|im_start|>assistant\n";
    /** Behind the first of these a deployed policy would have written nothing. */
    private static final Pattern END_OF_TURN =
            Pattern.compile("<\\|(?:im_end|endoftext|end_of_text|eot_id|eom_id|end|return)\\|>|<｜end▁of▁sentence｜>");
    /** Special tokens of other models that may stand behind a response; elsewhere they are text. */
    private static final List<String> ENDS = List.of("</s>", "<eos>", "<pad>", "<|pad|>", "<end_of_turn>");

    /** Characters at a prompt's end that are enough to know it by where its beginning was cut off. */
    private static final int TAIL = 200;

    private ResponseText() {}

    /** The response up to its first end of turn, without special tokens and blanks at its end. */
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
     * The response in a whole conversation. A policy can write on, but nothing before: so the first place counts at which it can begin, behind
     * the prompt, else behind the first place of the prompt's end, else behind the first assistant's turn.
     *
     * @param query prompt and response with all their tokens
     * @param prompt empty where it is not known
     * @param path of the query, for the message
     * @throws ApiException 400 if none can be found
     */
    static String behindPrompt(String query, String prompt, String path) {
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
