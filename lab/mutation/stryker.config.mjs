/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
// oxlint-disable-next-line import/no-default-export -- what Stryker wants
export default {
  mutate: [
    'lib/{judge,explain,drift,specification,verdict,redact}/**/*.ts',
    'lib/engine/plan/{shared-requests,rule,fuzz,fuzz-check,flawed-requests,once-per-run}.ts',
    'lib/engine/send/{run-state,retry}.ts',
    'lib/engine/run/{accuser,ask,confirm,driver,health,lockouts,no-response,preflight,quota-monitor,refining,rule-status,stage,suspects}.ts',
    '!lib/**/*.test.ts',
    '!lib/**/*.testing.ts',
    '!lib/**/testing/**',
    '!lib/**/*-validator.ts',
  ],
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'lab/mutation/vitest.config.ts', related: true },
  // It rewrites a tsconfig.json with the API of TypeScript 5 and 6, which 7 does not have; a name that is not there is left alone.
  tsconfigFile: 'none',
  disableTypeChecks: false,
  coverageAnalysis: 'perTest',
  // Modules are loaded once for all mutants: what runs only then, such as a table, was already used when its mutant comes.
  ignoreStatic: true,
  concurrency: 1,
  timeoutMS: 30_000,
  timeoutFactor: 2,
  dryRunTimeoutMinutes: 60,
  incremental: true,
  incrementalFile: 'reports/mutation/incremental.json',
  reporters: ['progress-append-only', 'clear-text', 'html', 'json'],
  htmlReporter: { fileName: 'reports/mutation/index.html' },
  jsonReporter: { fileName: 'reports/mutation/mutation.json' },
  thresholds: { high: 95, low: 90, break: 90 },
  tempDirName: 'reports/mutation/sandbox',
  ignorePatterns: ['reports', 'dist'],
}
