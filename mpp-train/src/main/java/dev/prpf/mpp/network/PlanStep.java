package dev.prpf.mpp.network;

import java.util.List;
import org.nd4j.linalg.api.ops.CustomOp;
import org.nd4j.linalg.api.ops.Op;
import org.nd4j.linalg.api.ops.OpContext;
import org.nd4j.linalg.factory.Nd4j;

/**
 * One prepared operation of an {@link ExecutionPlan}.
 *
 * @param operation a {@link CustomOp} or {@link Op}
 * @param context its arrays and arguments, fixed
 * @param inputs names of the values it reads
 * @param outputs names of the values it writes
 */
record PlanStep(Object operation, OpContext context, List<String> inputs, List<String> outputs) {
    void run() {
        if (operation instanceof CustomOp custom) {
            Nd4j.exec(custom, context);
        } else {
            Nd4j.exec((Op) operation, context);
        }
    }
}
