import { kindsOfRules } from '../lib/generate/kinds-of-rules.ts'
import { area, fuzzed } from '../lib/suite/rule.ts'

// Every case is judged by the oracle, by what arrives of it on the wire; what is sent, lib/generate says, a file a class.
export const fuzzing = area('Fuzzing', [
  fuzzed('fuzz/api-key', kindsOfRules['fuzz/api-key']),

  fuzzed('fuzz/secret-key', kindsOfRules['fuzz/secret-key']),

  fuzzed('fuzz/version', kindsOfRules['fuzz/version']),

  fuzzed('fuzz/path', kindsOfRules['fuzz/path']),

  fuzzed('fuzz/query', kindsOfRules['fuzz/query']),

  fuzzed('fuzz/headers', kindsOfRules['fuzz/headers']),

  fuzzed('fuzz/combined-flaws', kindsOfRules['fuzz/combined-flaws']),
])
