package dev.prpf.data.io;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.data.FunctionPool;
import java.nio.file.Path;

/** Writes a pool as a {@code function_pool.json}, whole or not at all. */
public final class FunctionPoolWriter {
    private static final ObjectMapper JSON = new ObjectMapper().disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);

    private FunctionPoolWriter() {}

    /**
     * Writes the pool, replacing the file.
     *
     * @throws dev.prpf.base.error.PrpfException 69 if nothing can be written there
     */
    public static void write(FunctionPool pool, Path file) {
        ObjectNode root = JsonNodeFactory.instance.objectNode();
        pool.functions().forEach(function -> root.set(function.name(), FunctionSpecJson.write(function)));
        AtomicFiles.write(file, out -> JSON.writerWithDefaultPrettyPrinter().writeValue(out, root));
    }
}
