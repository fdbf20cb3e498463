import { expect, it } from 'vitest'
import { historyFor, historyText } from './history.ts'

function line(name: string): string {
  return JSON.stringify({ uuid: name, name, testResults: {} })
}

const run = { subject: 'https://a.example, gate', name: 'https://a.example, gate, 3' }

it('gives the runs of the same subject, and keeps the others', () => {
  const [first, second] = [line('https://a.example, gate, 1'), line('https://a.example, gate, 2')]
  const others = [line('https://a.example, nightly, 1'), line('https://a.example, gates, 1')]
  const history = historyFor([first, others[0], second, others[1], ''].join('\n'), run)

  expect(history).toEqual({ comparable: [first, second], others })
  expect(historyText(history, `${first}\n${second}\nnew\n`)).toBe(
    [...others, first, second, 'new', ''].join('\n'),
  )
})

it('knows a run once, however often its report is made', () => {
  const earlier = line('https://a.example, gate, 2')

  expect(historyFor(`${earlier}\n${line(run.name)}\n`, run).comparable).toEqual([earlier])
})

it('passes over what a crash or a hand left', () => {
  const good = line('https://a.example, gate, 1')
  const text = [good.slice(0, 20), '[]', 'null', '{"name":"https://a.example, gate, 2"}', good].join('\n')

  expect(historyFor(text, run)).toEqual({ comparable: [good], others: [] })
})

it('ends somewhere', () => {
  const lines = Array.from({ length: 1_000 }, (_, index) => line(`https://a.example, gate, ${index}`))
  const history = historyFor(lines.join('\n'), run)

  expect(history.comparable).toEqual(lines.filter((one) => one !== line(run.name)).slice(-30))
  expect(historyText({ comparable: [], others: lines }, 'new\n').split('\n')).toHaveLength(301)
  expect(historyText({ comparable: [], others: lines }, 'new\n')).toMatch(/\nnew\n$/)
})
