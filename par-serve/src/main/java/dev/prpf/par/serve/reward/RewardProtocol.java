package dev.prpf.par.serve.reward;

import dev.prpf.par.reward.ResponseLine;
import dev.prpf.par.reward.ResponseScorer.Scored;
import dev.prpf.par.serve.http.RequestFields;
import java.util.List;
import java.util.function.Function;

/** The protocol of a trainer's reward requests. */
@FunctionalInterface
interface RewardProtocol {
    /**
     * A parsed and valid request.
     *
     * @param lines responses to reward, in order
     * @param answer makes the body of their rewards
     */
    record Asked(List<ResponseLine> lines, Function<List<Scored>, Object> answer) {}

    /** Reads a request. @throws dev.prpf.par.serve.http.ApiException naming the field at fault */
    Asked read(RequestFields fields);
}
