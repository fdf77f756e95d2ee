package dev.prpf.par.constraint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.par.chat.ToolCallReader.Thinking;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests keywords in combination: patterns with a length, schemas of an {@code allOf}, arrays of distinct elements. */
@Tag("slow")
class JoinedConstraintsTest extends OnSmallVocabulary {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'type':'string','pattern':'^[a-z]+$','maxLength':5}",
                "{'type':'string','pattern':'^[a-z]+-[0-9]*$','minLength':4,'maxLength':6}",
                "{'type':'string','pattern':'^(ab|c)*d?$','minLength':3,'maxLength':4}",
                "{'type':'string','pattern':'^(aa)*$','minLength':3,'maxLength':5}",
                "{'type':'string','pattern':'b','minLength':2,'maxLength':7}",
                "{'type':'string','pattern':'^((a*)*b?)*$','maxLength':3}",
                "{'type':'string','pattern':'^[^@]+@[^@]+$','maxLength':255}",
                "{'type':'string','format':'email','maxLength':14}",
                "{'type':'string','pattern':'^(a|bb|ccc){2,}$','minLength':9}",
                "{'allOf':[{'type':'object','properties':{'a':{'type':'integer'}},'required':['a']},{'type':'object','properties':{'b':{'enum':['x','y']}},'required':['b']}]}",
                "{'$defs':{'p':{'type':'object','properties':{'n':{'type':'integer','minimum':3}},'required':['n']}},'$ref':'#/$defs/p','properties':{'n':{'maximum':5}}}",
                "{'allOf':[{'properties':{'a':{'type':['string','integer']}}},{'properties':{'a':{'type':'integer'}},'additionalProperties':false}]}",
                "{'allOf':[{'type':'number'},{'type':'integer'},{'minimum':1,'type':'number'},{'maximum':2,'type':'number'}]}",
                "{'type':'string','anyOf':[{'maxLength':2},{'pattern':'^x+$','maxLength':4}]}",
                "{'allOf':[{'oneOf':[{'type':'integer'},{'type':'null'}]},{'type':['null','string']}]}",
                "{'allOf':[{'enum':['a','b','c']},{'enum':['b','c','d']}]}",
                "{'allOf':[{'type':'array','items':{'type':'integer'}},{'minItems':2,'type':'array'},{'type':'array','maxItems':3,'items':{'minimum':0}}]}",
                "{'type':'array','items':{'enum':['a','b','c']},'uniqueItems':true}",
                "{'type':'array','items':{'enum':[1,1.0,2,12]},'uniqueItems':true,'minItems':3}",
                "{'type':'array','items':{'type':'boolean'},'uniqueItems':true,'minItems':1}",
                "{'$defs':{'c':{'enum':['r','g','b','rg']}},'type':'array','items':{'$ref':'#/$defs/c'},'uniqueItems':true,'minItems':2,'maxItems':3}"
            })
    void whatIsWritten_isOfEachSchema(String text) {
        JsonNode schema = schema(text);
        JsonSchemaConstraints.Compiled compiled = constraints.json(Thinking.NONE, schema);
        Set<String> written = new HashSet<>();
        for (int i = 0; i < 40; i++) {
            int most = compiled.shortest() + i;
            List<Long> ids = new RandomModel(i, i % 2 == 0).write(compiled.walker(), most, vocabulary.end);
            assertThat(ids).hasSizeLessThanOrEqualTo(most);
            String value = vocabulary.text(ids);
            written.add(value);
            assertThat(new SchemaCheck(schema).takes(json(value)))
                    .as(schema + "\n" + value)
                    .isTrue();
        }
        assertThat(written).isNotEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '`',
            value = {
                "{'type':'string','pattern':'^[a-z]+$','maxLength':3}~\"abc\"~whole",
                "{'type':'string','pattern':'^[a-z]+$','maxLength':3}~\"abcd~\"abc",
                "{'type':'string','pattern':'^a+b*$','minLength':3,'maxLength':3}~\"abb\"~whole",
                "{'type':'string','pattern':'^a+b*$','minLength':3,'maxLength':3}~\"aa\"~\"aa",
                "{'type':'array','items':{'enum':['a','b']},'uniqueItems':true}~[\"b\", \"a\"]~whole",
                "{'type':'array','items':{'enum':['a','b']},'uniqueItems':true}~[\"b\", \"b~[\"b\", \"",
                "{'type':'array','items':{'enum':['a','b']},'uniqueItems':true}~[]~whole"
            })
    void valuesAreTaken_asFarAsTheyFulfilAll(String schema, String text, String taken) {
        assertThat(taken(constraints.json(Thinking.NONE, schema(schema)), text)).isEqualTo(taken);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'type':'string','pattern':'^(aa)*$','minLength':3,'maxLength':3}|no value that can be written",
                "{'allOf':[{'type':'string'},{'type':'integer'}]}|no value that can be written",
                "{'allOf':[{'const':1},{'const':2}]}|no value that can be written",
                "{'allOf':[{'properties':{'a':{}},'required':['a']},{'additionalProperties':false,'properties':{'b':{}}}]}|no value that can be written",
                "{'type':'array','uniqueItems':true}|uniqueItems in an array whose items have no enum, const or boolean",
                "{'type':'array','uniqueItems':true,'items':{'enum':[1,2,3,4,5,6,7,8,9,10,11]}}|which has more than 1024 sets of them; give maxItems, or fewer values",
                "{'type':'array','uniqueItems':true,'minItems':3,'items':{'enum':[1,2]}}|no value that can be written"
            })
    void whatCannotHoldTogether_isRefused(String schema, String message) {
        assertThatThrownBy(() -> constraints.json(Thinking.NONE, schema(schema)))
                .isInstanceOf(InvalidDataException.class)
                .hasMessageContaining(message);
    }

    /** Later schemas reuse the states of the first schema. A shared nested part is compared once, not once for each path to it. */
    @Test
    @Timeout(60)
    void twoSchemasWithOnePattern_areComparedInBoundedTime() {
        for (int i = 0; i < 3; i++) {
            JsonNode schema = schema("{'title':'" + i
                    + "','type':'string','pattern':'^a*(b|ab)*(a|ba)*c*$','minLength':3,'maxLength':120}");
            ResponseConstraint walker = constraints.json(Thinking.NONE, schema).walker();
            assertThat(new RandomModel(7, false).write(walker, 60, vocabulary.end))
                    .isNotEmpty();
        }
    }

    /** A character in more bytes than necessary is not UTF-8. */
    @Test
    void charactersAreWritten_inTheirShortestBytes() {
        JsonNode schema = schema("{'type':'string','minLength':3,'maxLength':19}");
        JsonSchemaConstraints.Compiled compiled = constraints.json(Thinking.NONE, schema);
        for (int i = 0; i < 300; i++) {
            List<Long> ids =
                    new RandomModel(i, false).write(compiled.walker(), compiled.shortest() + 8, vocabulary.end);
            assertThat(new SchemaCheck(schema).takes(json(vocabulary.text(ids))))
                    .as(vocabulary.text(ids))
                    .isTrue();
        }
    }

    @Test
    void patternsOfALength_stayWithinTheBudgetOrAreRefused() {
        RandomPatterns patterns = new RandomPatterns(17);
        int taken = 0;
        for (int i = 0; i < 30; i++) {
            ObjectNode length = JsonNodeFactory.instance
                    .objectNode()
                    .put("type", "string")
                    .put("minLength", i % 4)
                    .put("maxLength", 4 + i);
            JsonNode schema = length.deepCopy().put("pattern", patterns.next());
            try {
                JsonSchemaConstraints.Compiled compiled = constraints.json(Thinking.NONE, schema);
                List<Long> ids =
                        new RandomModel(i, false).write(compiled.walker(), compiled.shortest() + 8, vocabulary.end);
                assertThat(new SchemaCheck(length).takes(json(vocabulary.text(ids))))
                        .as(schema + "\n" + vocabulary.text(ids))
                        .isTrue();
                taken++;
            } catch (InvalidDataException e) {
                assertThat(e.getMessage()).containsAnyOf("operations", "has no value", "too large", "nested");
            }
        }
        assertThat(taken).isGreaterThan(9);
    }
}
