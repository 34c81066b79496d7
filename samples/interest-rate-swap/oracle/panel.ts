/**
 * The oracle on the dashboard: the rates it has announced last, and for whom it answers: whoever asks.
 */
import { definePanel, type Panel } from 'carillon/http'
import { table } from '../../shared/panel.js'
import { showPercent } from '../money.js'
import { RateSheet } from './RateSheet.js'

const sheetsShown = 40

export const ratesPanel: Panel = definePanel({
  name: 'rates',
  title: 'Rates',
  summary: 'What the oracle has announced. It answers and signs for these, and for nothing else.',
  read: async (node) => {
    const sheets = await node.query(RateSheet, { sort: { by: 'recorded', descending: true }, limit: sheetsShown })
    const rows = [...sheets.items]
      .sort((a, b) => (a.data.day < b.data.day ? 1 : -1))
      .flatMap(({ ref, data: { index, day, rates } }) =>
        rates.map(({ tenor, rate }) => ({
          key: `${day} ${index} ${tenor}`,
          cells: { day: { ref, text: day }, index, tenor, rate: showPercent(rate) },
        })),
      )
    return [
      table(
        { day: 'Day', index: 'Index', tenor: 'Tenor', rate: 'Rate' },
        { right: ['rate'], rows, empty: 'No rate has been announced. Announce some with the flow rates/Announce.' },
      ),
    ]
  },
})
