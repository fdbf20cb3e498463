import { describe, expect, it } from 'vitest'
import { faults } from '../../serve/reference/faults.ts'
import { serveCommand } from './serve-command.ts'

async function listing(): Promise<readonly string[]> {
  let text = ''
  const console = {
    cwd: '.',
    out: (more: string): void => void (text += more),
    err: (more: string): void => void (text += more),
  }
  expect(await serveCommand(console, { host: '127.0.0.1', port: '0', listFaults: true })).toBe(0)
  return text.split(/\n(?! )/).filter((entry) => entry !== '')
}

describe('an unknown name is a mistake, and what it begins or misspells is suggested', () => {
  it.each([
    [{ fault: ['api-key-compared-by-prefx'] }, '--fault', 'did you mean api-key-compared-by-prefix?'],
    [{ fault: ['api-key-compared-by-pre'] }, '--fault', 'did you mean api-key-compared-by-prefix?'],
    [{ fault: ['nonsense'] }, '--fault', 'the name of a fault, as --list-faults lists them'],
    [{ variant: 'order-quota-fir' }, '--variant', 'did you mean order-quota-first?'],
    [{ variant: 'nonsense' }, '--variant', 'the name of a variant, as --list-variants lists them'],
  ])('%j', async (flags, flag, says) => {
    let told = ''
    const console = { cwd: '.', out: () => {}, err: (text: string): void => void (told += text) }

    expect(await serveCommand(console, { host: '127.0.0.1', port: '0', ...flags })).toBe(2)
    expect(told).toMatch(new RegExp(`^One mistake in the settings; nothing was served\\.\\n\\n${flag}\\n`))
    expect(told).toContain(says)
    expect(told.length).toBeLessThan(300)
  })
})

describe('the list of faults', () => {
  it('says of each what is wrong and which rules notice it', async () => {
    const entries = await listing()

    expect(entries).toHaveLength(faults.length)
    for (const [index, { name, about, rules }] of faults.entries()) {
      expect(entries[index]?.split('\n')[0]).toBe(name)
      expect(entries[index]).toContain(about)
      for (const rule of rules) expect(entries[index]).toContain(rule)
    }
  })

  it('says of those that a gate does not notice from which profile on they show, and of no others', async () => {
    const entries = await listing()
    const beyond = faults.filter(({ profile }) => profile === 'acceptance')
    const namesOf = (some: typeof faults): readonly string[] => some.map(({ name }) => name)
    const ending = (words: string): readonly (string | undefined)[] =>
      entries.filter((entry) => entry.endsWith(words)).map((entry) => entry.split('\n')[0])

    expect(ending(', from acceptance on')).toEqual(namesOf(beyond.filter(({ inNoOther }) => !inNoOther)))
    expect(ending(', in acceptance alone')).toEqual(namesOf(beyond.filter(({ inNoOther }) => inNoOther)))
    expect(ending(', in acceptance alone')).toContain('browsers-need-no-key')
    expect(ending('alone').length + ending(' on').length).toBe(beyond.length)
  })
})
