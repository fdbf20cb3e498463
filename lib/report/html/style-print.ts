/** On paper: two pages of A4 for the statement, then the findings and the rest, all of it open and in dark ink. */
export const printStyle = `
@media print {
  @page { size: A4; margin: 13mm 14mm; }
  :root, :root[data-theme] { color-scheme: light; }
  body { background: #fff; font-size: 8.5pt; line-height: 1.35; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  main, .top, footer { max-width: none; padding-inline: 0; }
  .skip, .themes, .contents, .filters, .copyable button { display: none !important; }
  .top { padding-block: 0 2mm; }
  section { margin-block: 4mm; }
  .card, .hero, .alarm, .embedded { break-inside: avoid; border-radius: 2mm; padding: 3mm; }
  .embedded { font-size: 12pt; margin-bottom: 3mm; }
  .hero h1 { font-size: 15pt; } .hero > .icon { width: 11mm; height: 11mm; }
  .facts { grid-template-columns: repeat(3, 1fr); gap: 1.5mm 4mm; margin-top: 3mm; padding-top: 2.5mm; font-size: 8pt; }
  .proportion { height: 2mm; margin-top: 3mm; }
  .coverage { grid-template-columns: 4fr 5fr 6fr; gap: 3mm; margin-block: 3mm 0; }
  .coverage .card { font-size: 7.5pt; } .coverage h2 { font-size: 9pt; margin-bottom: 1mm; }
  .coverage .plain li { padding: 0.6mm 0; } .areas th, .areas td { padding: 0.3mm 0; }
  h2 { font-size: 11pt; margin-bottom: 1.5mm; break-after: avoid; } h3 { break-after: avoid; }
  .matrix > table { border-radius: 0; overflow: visible; }
  .matrix thead { display: table-header-group; }
  .matrix tr, .list tr { break-inside: avoid; } .area { break-after: avoid; }
  .matrix td { padding: 0.7mm 2mm; font-size: 7.5pt; line-height: 1.25; } .matrix thead th, .area th { padding: 0.7mm 2mm; font-size: 7.5pt; }
  .matrix tr > :first-child { padding-left: 2mm; } .matrix tr > :last-child { padding-right: 2mm; }
  .matrix td:first-child { width: 22mm; } .matrix td:nth-child(3) { width: 40mm; }
  .wide { display: table-cell; } .narrow { display: none; } .matrix .badge { flex-direction: row; font-size: 7.5pt; }
  .id { font-size: 6.5pt; } .because { font-size: 7pt; }
  .matrix { break-after: page; }
  .findings article { padding: 3mm; break-inside: auto; }
  .finding > summary { break-after: avoid; padding: 1mm 0; } .finding > dl { gap: 1.5mm 4mm; font-size: 8pt; padding: 0 0 2mm; }
  .finding::details-content { content-visibility: visible; block-size: auto; }
  .copyable pre { max-height: none; overflow: visible; padding: 1.5mm 2mm; font-size: 7pt; }
  .columns { columns: 2; } .charts { grid-template-columns: 1fr 1fr; gap: 3mm; }
}
`
