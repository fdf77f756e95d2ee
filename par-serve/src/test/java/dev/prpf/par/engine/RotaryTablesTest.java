package dev.prpf.par.engine;

import static org.assertj.core.api.Assertions.assertThat;

import ai.djl.pytorch.engine.PtNDManager;
import dev.prpf.par.generate.TinyDecoder;
import org.junit.jupiter.api.Test;

class RotaryTablesTest {
    @Test
    void tablesAreMadeOnce_alsoBeyondTheModelsPositions() {
        try (CausalLm decoder = TinyDecoder.LLAMA.make(40, 100);
                PtNDManager owner = TorchRuntime.newManager()) {
            RotaryTables tables = new RotaryTables(decoder.config(), owner);
            RotaryTables.Pair all = tables.upTo(100);
            int arrays = owner.getManagedArrays().size();
            assertThat(tables.upTo(140)).isSameAs(all);
            assertThat(owner.getManagedArrays()).hasSize(arrays);
        }
    }
}
