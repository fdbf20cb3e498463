import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { Option } from 'commander'
import { parse } from 'dotenv'
import { isLink } from '../../report/folder/reports-folder.ts'
import { settingsOfClient } from '../../run/plan/test-request.ts'
import { parseBaseUrl } from '../../settings/base-url.ts'
import { clientEntry } from '../../settings/client-settings.ts'
import { credentialSearch, exposedCredentials, hideSecrets } from '../../settings/hide-secrets.ts'
import { didYouMean, issue, type SettingIssue } from '../../settings/issue.ts'
import { packageFolder } from '../../settings/package-version.ts'
import { profiles } from '../../settings/profiles.ts'
import { settingNamed, settingTable, type Texts } from '../../settings/setting-table.ts'
import { checkTexts, credentialsOfSource } from '../../settings/sources.ts'
import { refusalOf } from '../../specification/answers.ts'
import { clientNames, clientRows, type ClientName } from '../../specification/client-rows.ts'
import { listPath } from '../../specification/endpoints.ts'
import { flawOfClient } from '../../specification/flaws.ts'
import { grouped } from '../../text/counts.ts'
import { memberNames } from '../../text/members.ts'
import { meant } from '../../text/nearest.ts'
import { codeOf, errorText, printable } from '../../text/printable.ts'
import { UnusableInput } from '../../text/unusable-input.ts'
import { dotenvValue, lines, nextCommand, packageFile, refuse, withFlags, type Declare } from './command.ts'
import type { Console } from './console.ts'

/** Supported pipelines, each with its file in docs/ci and its destination. */
const pipelines: Readonly<Record<string, { readonly from: string; readonly to: string }>> = {
  github: { from: 'github-gate.yml', to: '.github/workflows/conformance.yml' },
  gitlab: { from: 'gitlab-ci.yml', to: '.gitlab-ci.yml' },
  jenkins: { from: 'Jenkinsfile', to: 'Jenkinsfile' },
}
const pipelineNames = Object.keys(pipelines)

/** `init`: writes a user's first files, and never overwrites one. On a terminal, asks for settings that have no flag or variable. */
export const initCommand: Declare = (program, acts) =>
  withFlags(program.command('init'), {
    TARGET_BASE_URL: 'address of the service',
    TARGET_LABEL: 'stable name of the target (vendor, environment)',
    RUN_PROFILE: 'gate, acceptance or nightly',
  })
    .description('write .env, a pipeline and a letter to the provider; never overwrites a file')
    .addOption(new Option('--ci <pipeline>', 'pipeline to write a file for').choices(pipelineNames))
    .action(acts(init))

/** The questions: for settings, each of which appears in `.env` even if it is empty, and for the pipeline. */
const questions = {
  TARGET_BASE_URL: 'Address of the service:',
  TARGET_LABEL: 'Stable name of the target (vendor, environment):',
  TARGET_API_KEY: 'API key of a permitted client (not shown):',
  TARGET_SECRET_KEY: 'Its secret key (not shown):',
  RUN_PROFILE: 'Profile (gate, acceptance or nightly) [gate]:',
  ci: `Pipeline to write a file for (${pipelineNames.join(', ')}) [none]:`,
} as const
const asks = memberNames(questions)

/** Answers from flags, the environment or the terminal. Credentials never come from flags. */
type Answers = Readonly<Partial<Record<keyof typeof questions, string>>>

async function init(console: Console, flags: Answers): Promise<void> {
  const { cwd, env } = console
  const named = asks.map((name) => [name, flags[name] ?? env[name]?.trim() ?? ''] as const)
  const given: Answers = Object.fromEntries(named.filter(([, text]) => text.trim() !== ''))
  refuse(mistakesIn(given), 'nothing was written')
  const answers = console.canAsk ? await asked(given, flags, console) : given
  console.out(lines(...(await writeFiles(answers, cwd))))
  const pipeline =
    'The pipeline does not read .env. Its file lists the variables and secrets that it needs.\n\n'
  console.out(`
${answers.ci === undefined ? '' : pipeline}Fill in the empty settings in .env. ${printable(packageFile('docs/settings.md', cwd))} explains each setting,
and ${printable(packageFile('.env.example', cwd))} lists them all. Then check the settings and the connection:

  ${printable(nextCommand(['doctor'], cwd))}
`)
}

/** Mistakes in answers; they never show a secret. */
function mistakesIn({ ci, ...texts }: Answers): readonly SettingIssue[] {
  const { TARGET_BASE_URL: address = 'embedded' } = texts
  const search = credentialSearch(credentialsOfSource(texts))
  const unwritable = Object.entries(texts).filter(
    ([, text]) => parse(`NAME=${dotenvValue(text)}`)['NAME'] !== text,
  )
  const issues = [
    ...(address === 'embedded' ? [] : parseBaseUrl(address).issues),
    ...checkTexts(texts).issues,
    ...unwritable.map(([name, given]) => issue(name, { given, expected: writable })),
    ...exposedCredentials(texts, search),
  ]
  if (ci !== undefined && !pipelineNames.includes(ci)) {
    const expected = `one of ${pipelineNames.join(', ')}, or nothing`
    issues.push(issue('ci', { expected, hint: didYouMean(meant(ci, pipelineNames)) }))
  }
  return hideSecrets(issues, search, texts)
}

const writable = 'a value that fits into an env file: not a # together with all three kinds of quotes'

/** Asks on the terminal for missing answers. Throws if the user quits with Ctrl-C or Ctrl-D, or if the input ends. */
async function asked(given: Answers, flags: Answers, console: Console): Promise<Answers> {
  const open = asks.filter((name) => given[name] === undefined && flags[name] === undefined)
  if (open.length === 0) return given
  console.out(
    'Press Enter to leave a setting empty and fill it in later. Ctrl-C leaves without writing anything.\n\n',
  )
  const { stdin, stdout } = process
  let isHidden = false
  const output = new Writable({
    write: (text, _, done) => {
      if (!isHidden) stdout.write(text)
      done()
    },
  })
  const lines = createInterface({ input: stdin, output, terminal: true })
  const left = new AbortController()
  lines.once('close', () => left.abort())
  stdin.on('keypress', (_, key?: { readonly ctrl: boolean; readonly name?: string }) => {
    if (key?.ctrl === true && key.name === 'd') lines.close()
  })

  const answers = { ...given }
  const ask = async (name: keyof Answers): Promise<void> => {
    const hidden = settingNamed(name)?.secret === true
    // The question is written immediately; a hidden answer is never echoed.
    const answering = lines.question(`${questions[name]} `, { signal: left.signal })
    isHidden = hidden
    const answer = await answering
    // Text pasted after a secret must not appear as the next answer.
    if (hidden) lines.write(null, { ctrl: true, name: 'u' })
    isHidden = false
    const value = answer.trim()
    const issues = value === '' ? [] : mistakesIn({ [name]: value })
    const without = value === answer ? '' : ', without the white space around it'
    const taken = issues.length > 0 ? '' : `(${value === '' ? 'left empty' : 'taken'}${without})`
    if (hidden) stdout.write(`${taken}\n`)
    for (const { expected, hint } of issues)
      stdout.write(`  expected  ${expected}\n${hint === null ? '' : `  hint      ${hint}\n`}`)
    if (issues.length > 0) return ask(name)
    if (value !== '') answers[name] = value
  }
  try {
    for (const name of open) await ask(name)
    return answers
  } catch (error) {
    if (!left.signal.aborted) throw error
    stdout.write('\n')
    throw new UnusableInput('nothing was written: the questions were not answered')
  } finally {
    lines.close()
  }
}

/** Writes each missing file and returns a line for each. */
async function writeFiles(answers: Answers, cwd: string): Promise<readonly string[]> {
  const letter = 'a letter to the provider that asks for clients with known behaviour'
  const files: (readonly [name: string, text: string, about: string])[] = [
    ['.gitignore', '.env\nreports/\n', '.env and reports/'],
    ['.env', envText(answers, cwd), 'your settings; only you may read it'],
    ['provider-request.md', providerRequest(answers), letter],
  ]
  const pipeline = pipelines[answers.ci ?? '']
  if (pipeline !== undefined) {
    const text = await readFile(join(packageFolder(), 'docs/ci', pipeline.from), 'utf8')
    const about = `the pipeline; ${packageFile('docs/pipelines.md', cwd)} lists what it needs`
    files.push([pipeline.to, text, about])
  }
  for (const [name] of files) await refuseLinks(cwd, name)
  const lines: string[] = []
  for (const [name, text, about] of files) {
    const file = join(cwd, name)
    try {
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, text, { flag: 'wx', mode: name === '.env' ? 0o600 : 0o666 })
      lines.push(`wrote  ${name}: ${about}`)
    } catch (cause) {
      if (codeOf(cause) !== 'EEXIST')
        throw new UnusableInput(
          `${file} cannot be written: ${errorText(cause)}; run init in a writable folder. Files written so far remain.`,
          { cause },
        )
      const lacks = name === '.gitignore' ? '; make sure that it lists .env and reports/' : ''
      lines.push(`left   ${name}: it already exists${lacks}`)
    }
  }
  return lines
}

/** A link could redirect a secret, or our text, to any of the user's files. */
async function refuseLinks(cwd: string, name: string): Promise<void> {
  const parts = name.split('/')
  for (const file of parts.map((_, at) => resolve(cwd, ...parts.slice(0, at + 1))))
    if (await isLink(file))
      throw new UnusableInput(
        `nothing was written: ${file} is a symbolic link, and init never follows links; remove it, or run init in another folder`,
      )
}

/** The text of an env file with these settings; unanswered questions have an empty value. */
function envText(given: Texts, cwd: string): string {
  const lines = settingTable
    .filter(({ name }) => name in questions)
    .map(({ name }) => `${name}=${dotenvValue(given[name] ?? '')}\n`)
  const example = packageFile('.env.example', cwd)
  return `# Settings of card-switch-conformance. ${example} lists and explains all others.\n${lines.join('')}`
}

/** A letter that asks the provider for the clients, inputs and quota that a run needs. */
function providerRequest({ TARGET_BASE_URL: address, TARGET_LABEL: label }: Texts): string {
  const where = address === undefined || address === 'embedded' ? 'your test system' : address
  const most = Object.entries(profiles).map(
    ([name, { maxRequests }]) => `${grouped(maxRequests)} in a ${name} run`,
  )
  return `# Clients for a conformance test${label === undefined ? '' : ` of ${label}`}

We want to test ${where} against the documented conventions of the card-switching and customization service. Please give us
${clientNames.length} clients of a test system, each with an API key and a secret key, and one input.

| client | required answer to GET ${listPath} | our settings |
| --- | --- | --- |
${clientNames.map(askedFor).join('\n')}

Please also tell us:

1. The daily quota of the disposable client. A small quota, such as 20, is enough. (FIXTURE_DISPOSABLE_QUOTA)
2. A query for the same endpoint that must get 400 with error_code 1030, such as \`limit=abc\`. (FIXTURE_INVALID_QUERY)
3. The query that every request to the endpoint needs, if any. (TARGET_QUERY)
4. The maximum number of requests per day and per second for each client.

A run sends at most 25 requests per second, most of them as the permitted client. Its maximum number of requests is
${most.join(', ')}.
A gate may run after each deploy, an acceptance run after each fix, and a nightly run every night. Please grant daily
quotas that cover the runs of a day, or tell us which quotas are too small.

An acceptance run needs all clients. If a client is missing, some rules cannot be judged, and the report lists them.

Please send the keys through a channel that is safe for credentials, and not in a reply to this letter.
`
}

/** The answer to ask a provider for, or why the client is to be refused. */
const answers: Readonly<Record<ClientName, string>> = {
  target: 'a success',
  second: 'a success',
  noCustomer: 'no customer matches its credentials',
  inactive: 'the endpoint is inactive for it (or name an endpoint that is inactive for all)',
  unauthorized: 'it may not use the endpoint',
  exhausted: 'its daily quota is used up, every day',
  disposable: 'a success, until we have used up its daily quota; then 429 with error_code 1020',
}

/** A client's row: its name in a plan, the required answer, and our settings for it. */
function askedFor(client: ClientName): string {
  const { called } = clientRows[client]
  const answered = answers[client]
  const { apiKey, secretKey } = clientEntry(client)
  const code = flawOfClient[client]?.code ?? null
  const answer = code === null ? answered : `${refusalOf(code).status} with error_code ${code}: ${answered}`
  return `| ${called} | ${answer} | ${client === 'target' ? `${apiKey}, ${secretKey}` : settingsOfClient(client)} |`
}
