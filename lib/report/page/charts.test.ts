import { describe, expect, it } from 'vitest'
import { verdictWith } from '../../verdict/verdict.testing.ts'
import type { Markup } from '../render/markup.ts'
import { latencyChart, requestsChart } from './charts.ts'

/** What the rows of a chart say, and how long their bars are, in hundredths. */
function rowsOf(chart: Markup): readonly (readonly string[])[] {
  return [
    ...chart.toString().matchAll(/scope="row">([^<]*)<.*?number">([^<]*)<.*?<rect width="([^"]*)"/gs),
  ].map(([, ...parts]) => parts)
}

describe('the chart of latencies', () => {
  it('has the four numbers of a verdict on one scale from nothing', () => {
    const chart = latencyChart(verdictWith({ latencyMs: { p50: 5, p95: 10, p99: 15, max: 20 } }))

    expect(rowsOf(chart)).toEqual([
      ['median', '5 ms', '25.00'],
      ['95 % at most', '10 ms', '50.00'],
      ['99 % at most', '15 ms', '75.00'],
      ['slowest', '20 ms', '100.00'],
    ])
  })

  it('is not there where nothing was answered', () => {
    expect(latencyChart(verdictWith({ latencyMs: null })).toString()).toBe('')
  })
})

describe('the chart of requests', () => {
  it('holds every area against the budget, and what belongs to no rule', () => {
    const byRule = { 'fuzz/path': 60, 'fuzz/query': 40, 'quota/exhausted': 10 }
    const requests = { sent: 115, retried: 0, confirming: 0, budget: 200, byRule }

    expect(rowsOf(requestsChart(verdictWith({ requests })))).toEqual([
      ['all', '115', '57.50'],
      ['fuzz', '100', '50.00'],
      ['quota', '10', '5.00'],
      ['of no rule', '5', '2.50'],
    ])
  })

  it('has no length where there is no budget', () => {
    const requests = { sent: 0, retried: 0, confirming: 0, budget: 0, byRule: { 'fuzz/path': 0 } }

    expect(rowsOf(requestsChart(verdictWith({ requests })))).toContainEqual(['fuzz', '0', '0.00'])
  })
})
