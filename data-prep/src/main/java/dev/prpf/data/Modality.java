package dev.prpf.data;

/** The modality of a sample's trajectory. */
public enum Modality {
    TEXT,
    MULTIMODAL;

    /** Returns the name used in files and reports: {@code text} or {@code multimodal}. */
    public String label() {
        return this == TEXT ? "text" : "multimodal";
    }
}
