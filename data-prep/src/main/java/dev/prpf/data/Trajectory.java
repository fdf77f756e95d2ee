package dev.prpf.data;

/** What the user did last, oldest first: text steps or screens. */
public sealed interface Trajectory permits TextTrajectory, ScreenTrajectory {
    /** Number of steps T; an empty trajectory is a defect that {@code data validate} reports. */
    int length();
}
