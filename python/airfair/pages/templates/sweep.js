{% include "marks.js" %}
{% include "sortable.js" %}
