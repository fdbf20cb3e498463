/** Reports that every run leaves and that cover only that run, with the verdict first. */
export const reportNames = [
  'verdict.json',
  'index.html',
  'junit.xml',
  'summary.md',
  'requests.http',
  'metrics.prom',
] as const
