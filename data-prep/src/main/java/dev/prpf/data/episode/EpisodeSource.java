package dev.prpf.data.episode;

import java.nio.file.Path;
import java.util.function.Consumer;

/** A file format of episodes. */
public interface EpisodeSource {
    /**
     * Reads the episodes of a file.
     *
     * @param episodes receives each episode; memory holds one
     * @throws dev.prpf.base.error.PrpfException 65 naming file and place if the file is not of this format
     */
    void read(Path file, Consumer<Episode> episodes);
}
