import { caseClasses } from '../lib/fuzz/case-classes.ts'
import { area } from '../lib/run/plan/cases.ts'
import { fuzzed } from '../lib/run/plan/fuzz.ts'

// The oracle judges every case by what arrives on the wire; lib/fuzz defines what is sent, with one grammar per file.
export const fuzzing = area('Fuzzing', [
  fuzzed('fuzz/api-key', caseClasses['fuzz/api-key'], { share: 1.05 }),

  fuzzed('fuzz/secret-key', caseClasses['fuzz/secret-key']),

  fuzzed('fuzz/version', caseClasses['fuzz/version']),

  fuzzed('fuzz/path', caseClasses['fuzz/path'], { share: 0.9 }),

  fuzzed('fuzz/query', caseClasses['fuzz/query'], { share: 0.75 }),

  fuzzed('fuzz/headers', caseClasses['fuzz/headers'], { share: 0.75 }),

  fuzzed('fuzz/combined-flaws', caseClasses['fuzz/combined-flaws'], { share: 0.25 }),
])
