package dev.prpf.data;

/** How a sample's trajectory is given. */
public enum Modality {
    TEXT,
    MULTIMODAL;

    /** The name used in files and reports: {@code text} or {@code multimodal}. */
    public String label() {
        return this == TEXT ? "text" : "multimodal";
    }
}
