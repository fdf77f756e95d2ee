package dev.prpf.par.serve.openai;

import dev.prpf.par.serve.openai.answer.AnswerDelta;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A stretch of one chat's answer.
 *
 * @param deltas what it says; may be none
 * @param logprobs of its tokens; null where they were not asked for
 * @param tokenIds of these; null where they were not asked for
 */
record ChatPart(List<AnswerDelta> deltas, @Nullable ChatLogprobs logprobs, @Nullable List<Long> tokenIds) {}
