package dev.prpf.mpp.network;

import java.util.List;
import org.nd4j.linalg.api.ndarray.INDArray;

/** The body prepared for one batch size and number of steps: every array is allocated once. Not for use by two threads. */
interface BodyPlan {
    /** Whether this network has such an input; see {@link MppBody#INPUTS}. */
    boolean hasPlaceholder(String name);

    /** The array that holds an input, a dropout mask or the cotangent; filled before a run. */
    INDArray placeholder(String name);

    /** Where units are dropped, in the order of their names. */
    List<MppBody.DropoutSite> dropoutSites();

    /** z, shape (B, {@link NetworkShape#fusedWidth()}), of the last forward run. */
    INDArray fused();

    void runForward();

    /** Writes every parameter's gradient, given {@link BodyGraph#COTANGENT}; after {@link #runForward}. */
    void runBackward();

    /** Steps of both parts, for measurement. */
    List<LaneSchedule> schedules();
}
