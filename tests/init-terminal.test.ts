import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { parse } from 'dotenv'
import { expect, onTestFinished, test } from 'vitest'
import { describeWith } from './gateways/installed.ts'
import { inOneLine } from './support/program-test.ts'
import { emptyFolder, folderWith, type Texts } from './support/program.ts'

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

/** Maximum wait for a text, in milliseconds. Long enough for a busy machine. */
const patienceMs = 120_000

/** Prints the exit code of the command and the echo mode of the terminal. */
const afterwards = `"$@"; printf 'ended in %s, %s\\n' "$?" "$(stty -a | grep -wo -e '-*echo')"`

/**
 * Runs `init` in a separate terminal of tmux, on a private socket, which is closed when the test ends. The command gets only these
 * variables, PATH and HOME. Tests read its screen, as a user does, instead of the bytes.
 */
async function init(env: Texts = {}, columns = 100) {
  const cwd = await emptyFolder()
  const configuration = 'set -g remain-on-exit on\nset -g history-limit 10000\nset -g status off\n'
  const folder = await folderWith({ 'tmux.conf': configuration })
  const { PATH = '', HOME = '' } = process.env
  const tmux = async (...words: readonly string[]): Promise<string> => {
    const given = ['-u', '-S', join(folder, 'socket'), '-f', join(folder, 'tmux.conf'), ...words]
    const of = { env: { PATH, HOME, LANG: 'C.UTF-8', TERM: 'xterm' } }
    return (await promisify(execFile)('tmux', given, of)).stdout
  }
  const variables = Object.entries({ PATH, HOME, TERM: 'screen', ...env }).map((one) => one.join('='))
  const command = [process.execPath, '--', main, 'init']
  const words = ['env', '-i', ...variables, 'sh', '-c', afterwards, 'sh', ...command]
  await tmux('new-session', '-d', '-x', `${columns}`, '-y', '30', '-c', cwd, '--', ...words)
  onTestFinished(async () => void (await tmux('kill-server')))

  const screens: string[] = []
  /** Waits until the screen or its scrollback contains a text, ignoring line breaks, and returns both. */
  const shows = async (text: string): Promise<string> => {
    const look = async (): Promise<string> => {
      const screen = await tmux('capture-pane', '-p', '-J', '-S', '-')
      if (screen !== screens.at(-1)) screens.push(screen)
      return inOneLine(screen)
    }
    await expect.poll(look, { timeout: patienceMs }).toContain(inOneLine(text))
    return screens.at(-1) ?? ''
  }
  /** Types characters as they are. */
  const type = (text: string) => tmux('send-keys', '-l', '--', text)
  /** Presses keys by their tmux names, such as `Enter` or `C-c`. */
  const press = (...keys: readonly string[]) => tmux('send-keys', ...keys)
  /** Waits for each question, or message about a wrong answer, which it replaces, and answers it. */
  const answers = async (...given: readonly (readonly [says: string, text: string])[]): Promise<void> => {
    for (const [says, text] of given) {
      await shows(says)
      if (!Object.values(questions).includes(says)) await press('C-u')
      if (text !== '') await type(text)
      await press('Enter')
    }
  }
  /**
   * Waits for the command to end. Fails unless it ended with this code, the terminal echoes again, and no screen showed a part of a
   * secret or a mask with its length. Returns the last screen.
   */
  const ended = async (code: number): Promise<string> => {
    const screen = await shows('ended in ')
    expect(screen).toContain(`ended in ${code}, echo`)
    expect(screens.join('\n')).not.toMatch(/pk_|9fQ2|sk_|Jd7W|Pa41|Xe2H|\*\*|••|▪▪|██/)
    return screen
  }
  /** Waits for the successful end. Returns the screen, and the settings in `.env` that have a value. */
  const finished = async () => {
    const screen = await ended(0)
    for (const question of [...Object.values(questions), 'doctor'])
      expect(inOneLine(screen)).toContain(question)
    const all = Object.entries(parse(await readFile(join(cwd, '.env'))))
    return { screen, settings: Object.fromEntries(all.filter(([, value]) => value !== '')) }
  }
  return { cwd, shows, type, press, answers, ended, finished }
}

const staging = 'https://staging.example'

describeWith('tmux', 'init on a terminal', () => {
  test('shows each question, reports a wrong answer at once, and never shows a secret', async () => {
    const { cwd, answers, shows, finished } = await init()

    await answers([questions.address, 'staging.example'])
    const wrong = await shows(`did you mean ${staging}?`)
    expect(wrong).toMatch(/^Address of the service: staging\.example/m)
    expect(wrong).not.toContain(questions.label)
    await answers(
      [`did you mean ${staging}?`, `${staging}/v1`],
      [questions.label, 'v'.repeat(201)],
      ['at most 200 characters', 'vendor 7'],
      [questions.key, `${apiKey}é`],
      ['visible ASCII characters', apiKey],
      [questions.secret, secretKey],
      [questions.profile, 'acc'],
      ['did you mean acceptance?', 'acceptance'],
      [questions.pipeline, 'gitlb'],
      ['did you mean gitlab?', 'gitlab'],
    )

    const { screen, settings } = await finished()
    for (const answered of [
      `${questions.address} ${staging}/v1\n`,
      `${questions.label} vendor 7\n`,
      `${questions.key} (taken)\n${questions.secret} (taken)\n`,
      `${questions.profile} acceptance\n`,
    ])
      expect(screen).toContain(answered)
    expect(settings).toEqual({
      TARGET_BASE_URL: `${staging}/v1`,
      TARGET_LABEL: 'vendor 7',
      TARGET_API_KEY: apiKey,
      TARGET_SECRET_KEY: secretKey,
      RUN_PROFILE: 'acceptance',
    })
    expect(await readdir(cwd)).toContain('.gitlab-ci.yml')
  })

  test('accepts empty answers, and works in a narrow terminal', async () => {
    const { cwd, answers, finished } = await init({}, 40)

    await answers([questions.address, 'staging.example'], [`did you mean ${staging}?`, ''])
    await answers([questions.label, ''], [questions.key, ' '], [questions.secret, ` ${secretKey} `])
    await answers([questions.profile, ''], [questions.pipeline, ''])

    const { screen, settings } = await finished()
    const taken = `${questions.key} (left empty) ${questions.secret} (taken) ${questions.profile}`
    expect(inOneLine(screen)).toContain(taken)
    expect(settings).toEqual({ TARGET_SECRET_KEY: secretKey })
    expect((await readdir(cwd)).filter((name) => name.includes('ci'))).toEqual([])
  })

  test.for([
    ['Ctrl-C', 'C-c', 'label', ''],
    ['Ctrl-D in the middle of a secret', 'C-d', 'secret', 'sk_Jd7W'],
  ] as const)('writes nothing after %s', async ([, key, last, typed]) => {
    const { cwd, answers, shows, type, press, ended } = await init()

    await answers([questions.address, staging])
    if (last === 'secret') await answers([questions.label, 'vendor 7'], [questions.key, apiKey])
    await shows(questions[last])
    if (typed !== '') await type(typed)
    await press(key)

    expect(await ended(2)).toContain('nothing was written: the questions were not answered')
    expect(await readdir(cwd)).toEqual([])
  })

  test('asks nothing that the environment answers, and never shows text that is pasted after a secret', async () => {
    const named = { TARGET_BASE_URL: staging, TARGET_LABEL: 'vendor 7', TARGET_API_KEY: apiKey }
    const { shows, type, press, ended } = await init(named)

    await shows(questions.secret)
    await type('sk_Jd7Wq0Bn5\rPa41GuKm\rXe2Hs9Vt6\r')
    await shows(questions.profile)
    await press('C-c')

    const seen = await ended(2)
    for (const asked of ['address', 'label', 'key'] as const) expect(seen).not.toContain(questions[asked])
  })
})
