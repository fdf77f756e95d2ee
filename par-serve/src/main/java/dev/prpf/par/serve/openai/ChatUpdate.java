package dev.prpf.par.serve.openai;

import dev.prpf.par.serve.openai.answer.AnswerForms.AnswerDelta;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The new part of a chat's answer after one decoding step.
 *
 * @param deltas the new pieces; may be empty
 * @param logprobs of its tokens; null if not requested
 * @param tokenIds of its tokens; null if not requested
 */
record ChatUpdate(List<AnswerDelta> deltas, @Nullable ChatLogprobs logprobs, @Nullable List<Long> tokenIds) {}
