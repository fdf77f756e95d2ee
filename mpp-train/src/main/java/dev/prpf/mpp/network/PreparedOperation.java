package dev.prpf.mpp.network;

import org.nd4j.linalg.api.ops.CustomOp;
import org.nd4j.linalg.api.ops.Op;
import org.nd4j.linalg.api.ops.OpContext;
import org.nd4j.linalg.factory.Nd4j;

/**
 * An operation of the library with its arrays.
 *
 * @param operation a {@link CustomOp} or {@link Op}
 * @param context its arrays and arguments, fixed
 */
record PreparedOperation(Object operation, OpContext context) implements Runnable {
    @Override
    public void run() {
        if (operation instanceof CustomOp custom) {
            Nd4j.exec(custom, context);
        } else {
            Nd4j.exec((Op) operation, context);
        }
    }
}
