// Judges the service of the environment and of .env, prints the rules that did not pass, and writes verdict.json.
import { writeFile } from 'node:fs/promises'
import { describeIssues, judge, plan, readSettings, verdictJson, withTarget } from 'card-switch-conformance'

const read = await readSettings({ env: process.env, flags: { RUN_ONLY: 'authentication/*' } })
if (read.kind === 'issues') {
  console.error(describeIssues(read.issues))
  process.exit(2)
}

const verdict = await withTarget(read.settings, async (settings) => {
  console.log(`${plan(settings, read.suites).length} rules are planned`)
  const onEvent = (event) => {
    if (event.kind !== 'rule-settled' || event.result.status === 'passed') return
    console.log(`${event.result.id} ${event.result.status}`)
  }
  const judged = await judge(settings, read.suites, { onEvent })
  return judged.verdict
})
await writeFile('verdict.json', verdictJson(verdict))
console.log([verdict.verdict, ...verdict.because].join('\n'))
process.exitCode = verdict.exitCode
