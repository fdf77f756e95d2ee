package dev.prpf.data.encode.store;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A JSON file that holds one array of strings. */
public final class StringArrayFile {
    private StringArrayFile() {}

    /**
     * The strings, in order.
     *
     * @throws PrpfException 65, naming file and place, if it is missing, cut off, or anything but an array of strings
     */
    public static List<String> read(Path file) {
        if (!Files.isRegularFile(file)) {
            throw new InvalidDataException(file + " does not exist; a JSON file with an array of strings is needed");
        }
        try (JsonParser parser = new JsonFactory().createParser(file.toFile())) {
            expect(file, parser, parser.nextToken(), JsonToken.START_ARRAY, "the file must hold an array of strings");
            List<String> strings = new ArrayList<>();
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                String rule = "element " + strings.size() + " must be a string";
                expect(file, parser, parser.currentToken(), JsonToken.VALUE_STRING, rule);
                strings.add(parser.getText());
            }
            if (parser.nextToken() != null) {
                throw new InvalidDataException(place(file, parser) + "something stands behind the array; remove it");
            }
            return strings;
        } catch (JsonProcessingException e) {
            String place =
                    e.getLocation() == null ? "" : ", line " + e.getLocation().getLineNr();
            throw new InvalidDataException(
                    file + place + ": no valid JSON, an array of strings is needed: " + e.getOriginalMessage(), e);
        } catch (IOException e) {
            throw new InvalidDataException(file + " cannot be read: " + e.getMessage(), e);
        }
    }

    private static void expect(Path file, JsonParser parser, @Nullable JsonToken seen, JsonToken wanted, String rule) {
        if (seen != wanted) {
            throw new InvalidDataException(place(file, parser) + rule + ", seen " + (seen == null ? "the end" : seen));
        }
    }

    private static String place(Path file, JsonParser parser) {
        return file + ", line " + parser.currentLocation().getLineNr() + ": ";
    }
}
