import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'dotenv'
import { expect, test } from 'vitest'
import { describeWith } from './gateways/installed.ts'
import { emptyFolder } from './support/program.ts'
import { inOneLine, openTerminal, type Terminal } from './support/terminal.ts'

const main = fileURLToPath(new URL('../bin/card-switch-conformance.mjs', import.meta.url))

const questions = {
  address: 'Address of the service:',
  label: 'Stable name of the target (vendor, environment):',
  key: 'API key of a permitted client (not shown):',
  secret: 'Its secret key (not shown):',
  profile: 'Profile (gate, acceptance or nightly) [gate]:',
  pipeline: 'Pipeline to write a file for (github, gitlab, jenkins) [none]:',
}

const apiKey = 'pk_9fQ2mLx7Tzv4Rk1wYc83'
const secretKey = `sk_Jd7W"q0Bn5'Xe2#Hs9Vt6 Pa41GuKm`

interface Asked {
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly columns?: number
}

async function init({ args = [], ...asked }: Asked = {}) {
  const cwd = await emptyFolder()
  const command = [process.execPath, '--', main, 'init', ...args]
  const terminal = await openTerminal({ command, cwd, ...asked })
  const answer = async (question: string, text: string): Promise<void> => {
    await terminal.shows(question)
    await reply(terminal, text)
  }
  return { cwd, terminal, answer }
}

async function reply({ type, press }: Terminal, text: string): Promise<void> {
  if (text !== '') await type(text)
  await press('Enter')
}

/** Waits for the message about a wrong answer, then replaces the answer. Returns the screen with the message. */
async function corrected(terminal: Terminal, says: string, text: string): Promise<string> {
  const screen = await terminal.shows(says)
  await terminal.press('C-u')
  await reply(terminal, text)
  return screen
}

describeWith('tmux', 'init on a terminal', () => {
  test('shows each question, reports a wrong answer at once, and never shows a secret', async () => {
    const { cwd, terminal, answer } = await init()

    await answer(questions.address, 'staging.example')
    const wrong = await corrected(
      terminal,
      'did you mean https://staging.example?',
      'https://staging.example/v1',
    )
    expect(wrong).toMatch(/^Address of the service: staging\.example/m)
    expect(wrong).not.toContain(questions.label)
    await answer(questions.label, 'v'.repeat(201))
    await corrected(terminal, 'at most 200 characters', 'vendor 7')
    await answer(questions.key, `${apiKey}é`)
    await corrected(terminal, 'visible ASCII characters', apiKey)
    await answer(questions.secret, secretKey)
    await answer(questions.profile, 'acc')
    await corrected(terminal, 'did you mean acceptance?', 'acceptance')
    await answer(questions.pipeline, 'gitlb')
    await corrected(terminal, 'did you mean gitlab?', 'gitlab')

    expect(await terminal.ended()).toEqual({ code: 0, echoes: true })
    const screen = await terminal.shows('doctor')
    for (const question of Object.values(questions)) expect(screen).toContain(question)
    for (const answered of [
      `${questions.address} https://staging.example/v1\n`,
      `${questions.label} vendor 7\n`,
      `${questions.key} (taken)\n${questions.secret} (taken)\n`,
      `${questions.profile} acceptance\n`,
    ])
      expect(screen).toContain(answered)
    // The terminal shows neither a part of a secret nor a mask with its length.
    expect(terminal.seen()).not.toMatch(/pk_|9fQ2|sk_|Jd7W|Pa41|\*\*|••|▪▪|██/)
    const env = parse(await readFile(join(cwd, '.env')))
    expect(Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))).toEqual({
      TARGET_BASE_URL: 'https://staging.example/v1',
      TARGET_LABEL: 'vendor 7',
      TARGET_API_KEY: apiKey,
      TARGET_SECRET_KEY: secretKey,
      RUN_PROFILE: 'acceptance',
    })
    expect(await readdir(cwd)).toContain('.gitlab-ci.yml')
  })

  test('accepts empty answers, and works in a narrow terminal', async () => {
    const { cwd, terminal, answer } = await init({ columns: 40 })

    await answer(questions.address, 'staging.example')
    await corrected(terminal, 'did you mean https://staging.example?', '')
    await answer(questions.label, '')
    await answer(questions.key, ' ')
    await answer(questions.secret, ` ${secretKey} `)
    await answer(questions.profile, '')
    await answer(questions.pipeline, '')

    expect(await terminal.ended()).toEqual({ code: 0, echoes: true })
    const screen = inOneLine(await terminal.shows('doctor'))
    for (const question of Object.values(questions)) expect(screen).toContain(question)
    const without = ', without the white space around it'
    expect(screen).toContain(
      `${questions.key} (left empty${without}) ${questions.secret} (taken${without}) ${questions.profile}`,
    )
    expect(terminal.seen()).not.toMatch(/sk_|Jd7W|Pa41/)
    const env = parse(await readFile(join(cwd, '.env')))
    expect(Object.entries(env).filter(([, value]) => value !== '')).toEqual([
      ['TARGET_SECRET_KEY', secretKey],
    ])
    expect((await readdir(cwd)).filter((name) => name.includes('ci'))).toEqual([])
  })

  test('asks nothing that flags and environment already answer', async () => {
    const env = { TARGET_API_KEY: apiKey, TARGET_SECRET_KEY: secretKey }
    const args = ['--base-url', 'https://staging.example', '--label', '']
    const { cwd, terminal, answer } = await init({ args, env })

    await answer(questions.profile, '')
    await answer(questions.pipeline, '')

    expect(await terminal.ended()).toEqual({ code: 0, echoes: true })
    for (const asked of ['address', 'label', 'key', 'secret'] as const)
      expect(terminal.seen()).not.toContain(questions[asked])
    expect(parse(await readFile(join(cwd, '.env')))).toMatchObject(env)
  })

  test('asks nothing if a flag is wrong', async () => {
    const { cwd, terminal } = await init({ args: ['--base-url', 'staging.example'] })

    expect(await terminal.ended()).toEqual({ code: 2, echoes: true })
    expect(terminal.seen()).toContain('One mistake in the settings; nothing was written.')
    expect(terminal.seen()).not.toContain(questions.label)
    expect(await readdir(cwd)).toEqual([])
  })

  test.for([
    ['Ctrl-C', 'C-c', 'label'],
    ['Ctrl-D', 'C-d', 'label'],
    ['Ctrl-C in the middle of a secret', 'C-c', 'secret'],
    ['Ctrl-D in the middle of a secret', 'C-d', 'secret'],
  ] as const)('writes nothing after %s', async ([, key, last]) => {
    const { cwd, terminal, answer } = await init()

    await answer(questions.address, 'https://staging.example')
    if (last === 'secret') {
      await answer(questions.label, 'vendor 7')
      await answer(questions.key, apiKey)
    }
    await terminal.shows(questions[last])
    if (last === 'secret') await terminal.type('sk_Jd7W')
    await terminal.press(key)

    expect(await terminal.ended()).toEqual({ code: 2, echoes: true })
    expect(terminal.seen()).toContain('nothing was written: the questions were not answered')
    expect(terminal.seen()).not.toMatch(/pk_|sk_|Jd7W/)
    expect(await readdir(cwd)).toEqual([])
  })

  test('never shows text that is pasted after a secret', async () => {
    const env = {
      TARGET_BASE_URL: 'https://staging.example',
      TARGET_LABEL: 'vendor 7',
      TARGET_API_KEY: apiKey,
    }
    const { terminal } = await init({ env })

    await terminal.shows(questions.secret)
    await terminal.type('sk_Jd7Wq0Bn5\rPa41GuKm\rXe2Hs9Vt6\r')
    await terminal.shows(questions.profile)
    await terminal.press('C-c')

    expect(await terminal.ended()).toEqual({ code: 2, echoes: true })
    expect(terminal.seen()).not.toMatch(/Jd7W|Pa41|Xe2H/)
  })
})
