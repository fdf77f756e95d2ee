(function () {
  'use strict';
  var NONE = '–';
  function number(text) {
    var found = /^[+-]?\d[\d,]*\.?\d*/.exec(text.replace(/^\x3c/, ''));
    return found ? parseFloat(found[0].replace(/,/g, '')) : null;
  }
  function compare(a, b) {
    var x = number(a), y = number(b);
    return x === null || y === null ? a.localeCompare(b) : x - y;
  }
  function sortBy(table, column, head) {
    var down = head.getAttribute('aria-sort') === 'ascending';
    table.querySelectorAll('thead th').forEach(function (other) { other.removeAttribute('aria-sort'); });
    head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
    var rows = Array.from(table.tBodies[0].rows);
    rows.sort(function (a, b) {
      var x = a.cells[column].textContent.trim(), y = b.cells[column].textContent.trim();
      if (x === NONE || y === NONE) { return (x === NONE ? 1 : 0) - (y === NONE ? 1 : 0); }
      return down ? compare(y, x) : compare(x, y);
    });
    rows.forEach(function (row) { table.tBodies[0].appendChild(row); });
  }
  function sortable(table) {
    Array.from(table.tHead.rows[0].cells).forEach(function (head, column) {
      var button = document.createElement('button');
      button.type = 'button';
      button.textContent = head.textContent;
      button.addEventListener('click', function () { sortBy(table, column, head); });
      head.replaceChildren(button);
    });
  }
  function search(items, label, then) {
    var box = document.createElement('input');
    box.type = 'search';
    box.placeholder = label;
    box.setAttribute('aria-label', label);
    box.addEventListener('input', function () {
      var wanted = box.value.toLowerCase().split(/\s+/);
      items.forEach(function (item) {
        var text = item.textContent.toLowerCase();
        item.classList.toggle('filtered', !wanted.every(function (word) { return text.includes(word); }));
      });
      then();
    });
    return box;
  }
  function choice(key, values, chosen) {
    var select = document.createElement('select');
    select.setAttribute('aria-label', key);
    select.add(new Option(key + ': all', ''));
    values.forEach(function (value) { select.add(new Option(value, value)); });
    select.addEventListener('change', function () { chosen(select.value); });
    return select;
  }
  function browsable(browser) {
    var entries = Array.from(browser.querySelectorAll('.entry'));
    var tags = entries.map(function (entry) { return JSON.parse(entry.dataset.tags); });
    var wanted = {};
    var count = document.createElement('p');
    count.setAttribute('role', 'status');
    function show() {
      entries.forEach(function (entry, i) {
        entry.classList.toggle('unchosen', Object.keys(wanted).some(function (key) {
          return wanted[key] !== '' ? tags[i][key] !== wanted[key] : false;
        }));
      });
      count.textContent = browser.querySelectorAll('.entry:not(.filtered):not(.unchosen)').length + ' of '
        + entries.length + ' shown';
    }
    var bar = document.createElement('div');
    bar.className = 'filters';
    Object.keys(tags[0] || {}).forEach(function (key) {
      var values = Array.from(new Set(tags.map(function (tag) { return tag[key]; }))).sort();
      bar.appendChild(choice(key, values, function (value) { wanted[key] = value; show(); }));
    });
    bar.appendChild(search(entries, 'search in them', show));
    bar.appendChild(count);
    browser.before(bar);
    show();
  }
  document.querySelectorAll('.scroll table').forEach(function (table) {
    var rows = Array.from(table.tBodies[0].rows);
    if (rows.length > 1) { sortable(table); }
    if (rows.length > 10) { table.parentNode.before(search(rows, 'filter these rows', function () {})); }
  });
  document.querySelectorAll('.browser').forEach(browsable);
  window.addEventListener('beforeprint', function () {
    document.querySelectorAll('details').forEach(function (folded) { folded.open = true; });
  });
}());
